-- why: what happens to tenants, roles and settings is told to the other services (EVT-07..10).

select backbone.add_messaging('tenant');
