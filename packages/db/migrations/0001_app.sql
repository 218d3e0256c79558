-- why: one place decides what "this tenant's rows" means, so that no table can get it wrong on its own.

-- The tenant of the running transaction. After a transaction the setting is '' and not null (ledger X-091): both
-- mean "no tenant, no rows".
create or replace function app.tenant_id() returns uuid
  language sql stable parallel safe
  return nullif(current_setting('app.tenant_id', true), '')::uuid;

-- Emptied by crash recovery because it is unlogged: tells a clean restart from a crash (see commit-outcome.ts).
create unlogged table if not exists app.boot (
  one  boolean primary key default true check (one),
  id   uuid not null default gen_random_uuid()
);

create or replace function app.boot_id() returns uuid
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  found uuid;
begin
  select id into found from app.boot;
  if found is null then
    insert into app.boot default values on conflict do nothing;
    select id into found from app.boot;
  end if;
  return found;
end $$;

-- What the doctor expects and a reviewer can read: which functions may cross tenants, which tables only grow.
create table if not exists app.definer_functions (
  signature text primary key
);
create table if not exists app.append_only_tables (
  table_name text primary key
);

create or replace function app.schema_role(of_table regclass) returns text
  language sql stable
  return (select 'svc_' || n.nspname
          from pg_catalog.pg_class c
          join pg_catalog.pg_namespace n on n.oid = c.relnamespace
          where c.oid = of_table);

-- Puts a table under row-level security for its service, and for the cross-tenant roles that are named. `definer`
-- lets the allow-listed security definer functions (which run as the owner) read it without a tenant.
create or replace function app.protect(target regclass, maintenance boolean default false, relay boolean default false,
                                       jobs_worker boolean default false, definer boolean default false)
  returns void
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
declare
  service text := app.schema_role(target);
  crossing text;
begin
  execute format('alter table %s enable row level security', target);
  execute format('alter table %s force row level security', target);
  execute format('drop policy if exists tenant_isolation on %s', target);
  execute format(
    'create policy tenant_isolation on %s to %I using (tenant_id = app.tenant_id()) with check (tenant_id = app.tenant_id())',
    target, service);
  execute format('grant select, insert, update, delete on %s to %I', target, service);
  foreach crossing in array array_remove(array[
    case when maintenance then 'maintenance' end,
    case when relay then 'relay' end,
    case when jobs_worker then 'jobs_worker' end], null)
  loop
    execute format('drop policy if exists %I on %s', 'crosses_' || crossing, target);
    execute format('create policy %I on %s to %I using (true) with check (true)', 'crosses_' || crossing, target, crossing);
    execute format('grant select, insert, update, delete on %s to %I', target, crossing);
    execute format('grant usage on schema %I to %I',
      (select relnamespace::regnamespace::text from pg_catalog.pg_class where oid = target), crossing);
  end loop;
  if definer then
    execute format('drop policy if exists crosses_definer on %s', target);
    execute format('create policy crosses_definer on %s for select to melm_owner using (true)', target);
  end if;
end $$;

create or replace function app.refuse_change() returns trigger
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
begin
  raise exception 'table %.% only grows: % is refused', tg_table_schema, tg_table_name, tg_op
    using errcode = '42501';
end $$;

-- Money, audit and security records: nobody rewrites them, not even the owner by mistake (safety rule 26).
create or replace function app.append_only(target regclass) returns void
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
declare
  grantee text;
begin
  for grantee in
    select distinct r.rolname
    from pg_catalog.pg_class c, aclexplode(c.relacl) a
    join pg_catalog.pg_roles r on r.oid = a.grantee
    where c.oid = target and r.rolname <> 'melm_owner'
  loop
    execute format('revoke update, delete, truncate on %s from %I', target, grantee);
  end loop;
  execute format('drop trigger if exists append_only on %s', target);
  execute format('create trigger append_only before update or delete on %s for each row execute function app.refuse_change()', target);
  execute format('drop trigger if exists append_only_truncate on %s', target);
  execute format('create trigger append_only_truncate before truncate on %s for each statement execute function app.refuse_change()', target);
  insert into app.append_only_tables values (target::text) on conflict do nothing;
end $$;

-- Reference rows that belong to no tenant: the service may read them.
create or replace function app.share(target regclass) returns void
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
begin
  execute format('grant select on %s to %I', target, app.schema_role(target));
end $$;

-- A security definer function crosses tenants, so each is listed, has a fixed search_path and one caller.
create or replace function app.allow_definer(signature regprocedure) returns void
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
declare
  schema_name text;
begin
  select n.nspname into schema_name
  from pg_catalog.pg_proc p join pg_catalog.pg_namespace n on n.oid = p.pronamespace
  where p.oid = signature and p.prosecdef and p.proconfig::text like '%search_path%';
  if schema_name is null then
    raise exception '% must be security definer with a fixed search_path', signature;
  end if;
  execute format('revoke execute on function %s from public', signature);
  if schema_name <> 'app' then
    execute format('grant execute on function %s to %I', signature, 'svc_' || schema_name);
  end if;
  insert into app.definer_functions values (signature::text) on conflict do nothing;
end $$;

revoke execute on all functions in schema app from public;
select app.allow_definer('app.boot_id()');
