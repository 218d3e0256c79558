-- why: operators ask which cached values are used at all; the values live in the hot tier, their use is noted here (ledger CACHE-01..10).
create table if not exists hot.cache_metadata (
  tenant_id        uuid not null, -- the platform's for data without a tenant
  key              varchar(512) not null,
  value_type       text not null default 'json'
                   check (value_type in ('json', 'string', 'integer', 'list', 'set', 'hash')),
  ttl_seconds      integer not null check (ttl_seconds >= 0),
  expires_at       timestamptz not null,
  hit_count        bigint not null default 0,
  last_accessed_at timestamptz not null,
  tags             text[] not null default '{}',
  created_at       timestamptz not null default now(),
  updated_at       timestamptz not null default now(),
  primary key (tenant_id, key)
);
-- Processes count for all their tenants and write in batches, hence as maintenance.
select app.protect('hot.cache_metadata', maintenance => true);
create index if not exists ix_cache_metadata_expiry on hot.cache_metadata (expires_at);
create index if not exists ix_cache_metadata_tags on hot.cache_metadata using gin (tags);
