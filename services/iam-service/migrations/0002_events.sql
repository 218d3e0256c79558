-- why: what happens to accounts, sessions, devices and factors is told to the other services (EVT-01..06).

select backbone.add_messaging('iam');
