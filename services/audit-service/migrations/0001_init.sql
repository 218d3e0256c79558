-- why: new entries and anchors of the chain are told to the other services (EVT-77..78).

select backbone.add_messaging('audit');
