-- why: files and the verdict about them are told to the other services (EVT-73..74).

select backbone.add_messaging('file_storage');
