-- why: looks and their versions, brands built on them, texts of the site; and which properties there are to brand.

-- Our own copy of what property-service told: a brand is for a property that exists.
create table theme_config.properties (
  tenant_id uuid not null,
  id        uuid not null,
  constraint properties_pk primary key (tenant_id, id)
);

create table theme_config.presets (
  tenant_id      uuid not null,
  id             uuid not null,
  name           jsonb not null,
  tokens         jsonb not null, -- the draft
  published      jsonb, -- name and tokens as they went out last; null: never
  preset_version integer not null default 0,
  version        integer not null default 1,
  created_at     timestamptz not null default now(),
  updated_at     timestamptz not null default now(),
  constraint presets_pk primary key (tenant_id, id),
  constraint presets_published check ((published is null) = (preset_version = 0))
);

-- Every version that ever went out: a brand may stay on an older one.
create table theme_config.preset_versions (
  tenant_id      uuid not null,
  preset_id      uuid not null,
  preset_version integer not null,
  name           jsonb not null,
  tokens         jsonb not null,
  published_at   timestamptz not null default now(),
  constraint preset_versions_pk primary key (tenant_id, preset_id, preset_version),
  constraint preset_versions_version check (preset_version >= 1)
);

create table theme_config.themes (
  tenant_id      uuid not null,
  id             uuid not null,
  property_id    uuid, -- null: the whole tenant
  preset_id      uuid not null,
  preset_version integer not null,
  overrides      jsonb not null,
  tokens         jsonb not null, -- what the site shows
  version        integer not null default 1,
  created_at     timestamptz not null default now(),
  updated_at     timestamptz not null default now(),
  constraint themes_pk primary key (tenant_id, id),
  constraint themes_one_per_place unique nulls not distinct (tenant_id, property_id),
  constraint themes_preset foreign key (tenant_id, preset_id, preset_version)
    references theme_config.preset_versions (tenant_id, preset_id, preset_version)
);

create table theme_config.content_blocks (
  tenant_id    uuid not null,
  id           uuid not null,
  theme_id     uuid not null,
  placement    text not null,
  position     integer not null,
  status       text not null default 'published',
  text         jsonb,
  content_hash text,
  version      integer not null default 1,
  created_at   timestamptz not null default now(),
  updated_at   timestamptz not null default now(),
  constraint content_blocks_pk primary key (tenant_id, id),
  constraint content_blocks_theme foreign key (tenant_id, theme_id) references theme_config.themes (tenant_id, id),
  constraint content_blocks_placement check (
    placement in ('home', 'rooms', 'checkout', 'confirmation', 'footer', 'email')),
  constraint content_blocks_position check (position between 0 and 1000),
  constraint content_blocks_status check (status in ('published', 'withdrawn')),
  constraint content_blocks_text_when_published check (
    (status = 'published') = (text is not null) and (text is null) = (content_hash is null))
);
create index content_blocks_of_theme on theme_config.content_blocks (tenant_id, theme_id);

select app.protect('theme_config.properties');
select app.protect('theme_config.presets');
select app.protect('theme_config.preset_versions');
select app.append_only('theme_config.preset_versions');
select app.protect('theme_config.themes');
select app.protect('theme_config.content_blocks');
select app.add_idempotency('theme_config');

-- Old idempotency keys are removed by a job of this service.
select jobs.admit('theme_config');
