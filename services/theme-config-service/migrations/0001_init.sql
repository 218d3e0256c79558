-- why: the outbox and inbox of theme-config-service; themes come with its behaviour.

select backbone.add_messaging('theme_config');
