-- why: what models said and people decided is told to the other services (EVT-66..70).

select backbone.add_messaging('ai_orchestrator');
