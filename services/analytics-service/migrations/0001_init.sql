-- why: computed numbers are told to their readers (EVT-76).

select backbone.add_messaging('analytics');
