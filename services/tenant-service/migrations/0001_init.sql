-- why: tenants and everything that decides who may do what in them.

-- How many rooms make a class (X-040). Rows, not code: the platform may move the limits.
create table tenant.plan_classes (
  class      text not null,
  most_rooms integer,
  constraint plan_classes_pk primary key (class),
  constraint plan_classes_class check (class in ('small', 'medium', 'large')),
  constraint plan_classes_most_rooms check ((class = 'large') = (most_rooms is null))
);
insert into tenant.plan_classes (class, most_rooms)
values ('small', 20), ('medium', 100), ('large', null);
select app.share('tenant.plan_classes');

create table tenant.tenants (
  tenant_id         uuid not null,
  name              text not null,
  status            text not null default 'active',
  suspension_reason text,
  rooms             integer not null,
  plan_class        text not null,
  region            text not null,
  request_hash      text not null, -- of the request that created it: a repetition is recognised, another one refused
  created_at        timestamptz not null default now(),
  version           integer not null default 1,
  constraint tenants_pk primary key (tenant_id),
  constraint tenants_name check (char_length(name) between 1 and 120),
  constraint tenants_status check (status in ('active', 'suspended', 'closed')),
  constraint tenants_reason check (suspension_reason in ('plan_limit', 'billing_failure', 'compliance')),
  constraint tenants_reason_when_suspended check ((status = 'suspended') = (suspension_reason is not null)),
  constraint tenants_rooms check (rooms between 0 and 100000),
  constraint tenants_plan_class check (plan_class in ('small', 'medium', 'large', 'platform')),
  constraint tenants_region check (region in ('me-central1', 'asia-south1', 'europe-west1', 'us-central1'))
);

create table tenant.settings (
  tenant_id        uuid not null,
  default_locale   text not null,
  locales          text[] not null,
  currency         text not null,
  calendar         text not null,
  digits           text not null,
  weekend_days     smallint[] not null, -- ISO: 1 Monday to 7 Sunday
  zone             text not null,
  legal_name       text,
  tax_registration text,
  version          integer not null default 1,
  updated_at       timestamptz not null default now(),
  constraint settings_pk primary key (tenant_id),
  constraint settings_default_locale check (default_locale in ('en', 'ps', 'fa-AF')),
  constraint settings_locales check (locales <@ array['en', 'ps', 'fa-AF']),
  constraint settings_default_is_offered check (default_locale = any (locales)),
  constraint settings_currency check (currency ~ '^[A-Z]{3}$'),
  constraint settings_calendar check (calendar in ('solar-hijri', 'gregorian')),
  constraint settings_digits check (digits in ('latn', 'arabext')),
  constraint settings_weekend_days check (weekend_days <@ array[1, 2, 3, 4, 5, 6, 7]::smallint[]),
  constraint settings_zone check (char_length(zone) between 1 and 64),
  constraint settings_legal_name check (char_length(legal_name) between 1 and 200),
  constraint settings_tax_registration check (char_length(tax_registration) between 1 and 40)
);

-- A name of the whole platform: one slug belongs to one tenant for good, also after it was replaced or the tenant
-- was closed, so that no link ever leads to somebody else.
create table tenant.slugs (
  tenant_id  uuid not null,
  slug       text not null,
  is_primary boolean not null,
  created_at timestamptz not null default now(),
  constraint slugs_pk primary key (tenant_id, slug),
  constraint slugs_slug check (slug ~ '^[a-z0-9](-?[a-z0-9]){2,39}$' and char_length(slug) <= 40)
);
create unique index slugs_one_owner on tenant.slugs (slug);
comment on index tenant.slugs_one_owner is 'global by nature: a slug names one tenant; a claim learns "taken" and no more';
create unique index slugs_one_primary on tenant.slugs (tenant_id) where is_primary;

-- Anybody may write down any host; it means something only once verified, and is unique only then. So a claim tells
-- nothing about others and cannot keep the real owner out.
create table tenant.hosts (
  tenant_id   uuid not null,
  host        text not null,
  verified_at timestamptz,
  created_at  timestamptz not null default now(),
  constraint hosts_pk primary key (tenant_id, host),
  constraint hosts_host check (char_length(host) between 4 and 120 and host = lower(host))
);
create unique index hosts_one_owner on tenant.hosts (host) where verified_at is not null;
comment on index tenant.hosts_one_owner is 'global by nature: a verified host names one tenant; only the platform verifies';

create table tenant.memberships (
  tenant_id    uuid not null,
  id           uuid not null,
  operator_id  uuid not null,
  roles        text[] not null,
  property_ids uuid[], -- null: all
  status       text not null default 'active',
  version      integer not null default 1,
  created_at   timestamptz not null default now(),
  updated_at   timestamptz not null default now(),
  constraint memberships_pk primary key (tenant_id, id),
  constraint memberships_one_per_operator unique (tenant_id, operator_id),
  constraint memberships_status check (status in ('active', 'suspended')),
  constraint memberships_roles check (roles <@ array['owner', 'manager', 'front_desk', 'housekeeping', 'maintenance',
    'accountant', 'auditor', 'platform_admin', 'platform_support']),
  constraint memberships_some_role check (cardinality(roles) between 1 and 9),
  -- Nobody becomes an administrator of the platform by a row in a hotel.
  constraint memberships_platform_roles check (
    roles && array['platform_admin', 'platform_support'] = (tenant_id = '00000000-0000-7000-8000-000000000001')),
  constraint memberships_some_property check (cardinality(property_ids) between 1 and 200),
  constraint memberships_owner_everywhere check (
    property_ids is null or not (roles && array['owner', 'platform_admin']))
);

create table tenant.operator_preferences (
  tenant_id   uuid not null,
  id          uuid not null,
  operator_id uuid not null,
  property_id uuid, -- null: everywhere else
  payload     jsonb not null,
  version     integer not null default 1,
  updated_at  timestamptz not null default now(),
  constraint operator_preferences_pk primary key (tenant_id, id),
  constraint ux_prefs_op_prop unique nulls not distinct (tenant_id, operator_id, property_id)
);

-- Who changed what, with the values before and after. Only grows.
create table tenant.history (
  tenant_id  uuid not null,
  id         uuid not null,
  action     text not null,
  subject    text not null,
  before     jsonb,
  after      jsonb,
  actor_type text not null,
  actor_id   text not null,
  at         timestamptz not null default now(),
  constraint history_pk primary key (tenant_id, id),
  constraint history_action check (action in ('tenant.created', 'tenant.suspended', 'tenant.reactivated',
    'tenant.closed', 'tenant.resized', 'settings.changed', 'slug.claimed', 'host.added', 'host.verified',
    'host.removed', 'membership.added', 'membership.changed', 'membership.removed')),
  constraint history_actor_type check (actor_type in ('user', 'system', 'service', 'api_key'))
);

-- The platform's own tenant, before row-level security closes the tables to the migrator.
insert into tenant.tenants (tenant_id, name, rooms, plan_class, region, request_hash)
values ('00000000-0000-7000-8000-000000000001', 'Melmastoon', 0, 'platform', 'me-central1', 'migration');
insert into tenant.settings (tenant_id, default_locale, locales, currency, calendar, digits, weekend_days, zone)
values ('00000000-0000-7000-8000-000000000001', 'en', '{en,ps,fa-AF}', 'AFN', 'gregorian', 'latn', '{5}', 'UTC');
insert into tenant.slugs (tenant_id, slug, is_primary)
values ('00000000-0000-7000-8000-000000000001', 'platform', true);

select app.protect('tenant.tenants', definer => true);
select app.protect('tenant.settings', definer => true);
select app.protect('tenant.slugs', definer => true);
select app.protect('tenant.hosts', definer => true);
select app.protect('tenant.memberships');
select app.protect('tenant.operator_preferences');
select app.protect('tenant.history');
select app.append_only('tenant.history');
select app.add_idempotency('tenant');

-- Which tenant a slug or a verified host names: asked before the tenant is known, hence across tenants. Gives what
-- the tenant shows to everybody and nothing else.
create function tenant.resolve(by_slug text, by_host text)
  returns table (tenant_id uuid, slug text, name text, status text, default_locale text, locales text[], currency text,
                 zone text)
  language sql stable security definer
  set search_path = pg_catalog, pg_temp
as $$
  select t.tenant_id, main.slug, t.name, t.status, s.default_locale, s.locales, s.currency, s.zone
  from (
    select found.tenant_id from tenant.slugs found where found.slug = by_slug
    union all
    select found.tenant_id from tenant.hosts found where found.host = by_host and found.verified_at is not null
  ) named
  join tenant.tenants t on t.tenant_id = named.tenant_id
  join tenant.settings s on s.tenant_id = named.tenant_id
  join tenant.slugs main on main.tenant_id = named.tenant_id and main.is_primary
  limit 1
$$;
select app.allow_definer('tenant.resolve(text, text)');

-- The platform's list of its customers. Empty for every other tenant.
create function tenant.list_tenants(after_id uuid, most integer)
  returns table (tenant_id uuid, slug text, name text, status text, suspension_reason text, rooms integer,
                 plan_class text, region text, created_at timestamptz, version integer)
  language sql stable security definer
  set search_path = pg_catalog, pg_temp
as $$
  select t.tenant_id, main.slug, t.name, t.status, t.suspension_reason, t.rooms, t.plan_class, t.region, t.created_at,
         t.version
  from tenant.tenants t
  join tenant.slugs main on main.tenant_id = t.tenant_id and main.is_primary
  where app.tenant_id() = '00000000-0000-7000-8000-000000000001'
    and t.tenant_id <> '00000000-0000-7000-8000-000000000001'
    and (after_id is null or t.tenant_id > after_id)
  order by t.tenant_id
  limit most
$$;
select app.allow_definer('tenant.list_tenants(uuid, integer)');

-- Old idempotency keys are removed by a job of this service.
select jobs.admit('tenant');
