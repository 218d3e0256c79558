-- why: finished reports are told to the other services (EVT-75).

select backbone.add_messaging('reporting');
