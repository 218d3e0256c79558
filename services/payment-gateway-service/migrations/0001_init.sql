-- why: intents, captures and refunds tell the other services where the money is (EVT-46..50).

select backbone.add_messaging('payment_gateway');
