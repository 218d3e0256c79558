-- why: how far devices are and what they disagree about is told to the other services (EVT-79..80).

select backbone.add_messaging('sync');
