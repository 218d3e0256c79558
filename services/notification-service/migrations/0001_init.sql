-- why: what was sent and whether it arrived is told to the other services (EVT-63..65).

select backbone.add_messaging('notification');
