import type { Client } from 'pg';

/** How much was looked at, and what breaks the tenancy rules; `problems` empty means that none does. */
export type TenancyAudit = {
  tables: number;
  views: number;
  functions: number;
  keys: number;
  problems: string[];
};

/** A key that is unique over all tenants on purpose, e.g. a web address; each needs a reason in the code review. */
export type GlobalKey = `${string}.${string}`;

/**
 * Reads the rules of tenancy off the catalog, so that a table somebody adds next year is covered too: row-level
 * security with both clauses, keys that start with the tenant, views that run with the caller's rights, functions
 * that cross tenants only by name, login roles without a way round.
 */
export async function auditTenancy(
  client: Client,
  schemas: readonly string[],
  options: { globalKeys?: readonly GlobalKey[] } = {},
): Promise<TenancyAudit> {
  const ask = async (text: string, values: unknown[] = [schemas]) =>
    (await client.query<{ problem: string | null }>(text, values)).rows.map(row => row.problem);
  const problems: (string | null)[] = [
    ...(await ask(tablesWithoutProtection)),
    ...(await ask(policiesThatAreTooWide)),
    ...(await ask(keysWithoutTenant, [schemas, options.globalKeys ?? []])),
    ...(await ask(viewsWithOwnersRights)),
    ...(await ask(functionsThatCross)),
    ...(await ask(rolesWithWaysRound)),
    ...(await ask(appendOnlyTablesThatAreNot, [])),
  ];
  const { rows } = await client.query(counted, [schemas]);
  return { ...rows[0], problems: problems.filter(problem => problem !== null) };
}

const tenantTables = `
  select c.oid, c.oid::regclass::text as name, n.nspname, c.relrowsecurity, c.relforcerowsecurity
  from pg_class c
  join pg_namespace n on n.oid = c.relnamespace
  join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped
  where n.nspname = any ($1) and c.relkind in ('r', 'p')`;

const tablesWithoutProtection = `
  with t as (${tenantTables})
  select name || ': row-level security is off' as problem from t where not relrowsecurity
  union all
  select name || ': row-level security is not forced on its owner' from t where not relforcerowsecurity
  union all
  -- Who may touch the table must be held to the tenant, for reading and for writing; more conditions may follow.
  select distinct format('%s: no policy with USING and WITH CHECK holds %s to the tenant', name, r.rolname)
  from t
  join pg_class c on c.oid = t.oid
  cross join lateral aclexplode(c.relacl) a
  join pg_roles r on r.oid = a.grantee and r.rolname like 'svc\\_%'
  where not exists (
    select 1 from pg_policy p
    where p.polrelid = t.oid and p.polcmd = '*' and p.polpermissive and r.oid = any (p.polroles)
      and pg_get_expr(p.polqual, p.polrelid) ~ '^\\(+tenant_id = app\\.tenant_id\\(\\)\\)( AND |$)'
      and pg_get_expr(p.polwithcheck, p.polrelid) ~ '^\\(+tenant_id = app\\.tenant_id\\(\\)\\)( AND |$)')
  union all
  select name || ': tenant_id may be null' from t
  join pg_attribute a on a.attrelid = t.oid and a.attname = 'tenant_id'
  where not a.attnotnull`;

// A policy without the tenant may exist for the cross-tenant roles only, and by itself for each.
const policiesThatAreTooWide = `
  with t as (${tenantTables})
  select format('%s: policy %s opens it to %s', t.name, p.polname, coalesce(r.rolname, 'public')) as problem
  from t
  join pg_policy p on p.polrelid = t.oid
  cross join lateral unnest(p.polroles) of_role
  left join pg_roles r on r.oid = of_role
  where coalesce(pg_get_expr(p.polqual, p.polrelid), pg_get_expr(p.polwithcheck, p.polrelid)) not like '%app.tenant_id()%'
    and coalesce(r.rolname, 'public') not in ('relay', 'maintenance', 'jobs_worker')
    and not (r.rolname = 'melm_owner' and p.polcmd = 'r')`;

const keysWithoutTenant = `
  with t as (${tenantTables})
  select format('%s: %s does not start with tenant_id', t.name, i.indexrelid::regclass) as problem
  from t
  join pg_index i on i.indrelid = t.oid and i.indisunique
  where (select attname from pg_attribute where attrelid = t.oid and attnum = i.indkey[0]) is distinct from 'tenant_id'
    and not i.indexrelid::regclass::text = any ($2)
  union all
  select format('%s: foreign key %s does not start with tenant_id', t.name, k.conname)
  from t
  join pg_constraint k on k.conrelid = t.oid and k.contype = 'f'
  where (select attname from pg_attribute where attrelid = t.oid and attnum = k.conkey[1]) <> 'tenant_id'
    and not t.nspname || '.' || k.conname = any ($2)
  union all
  select format('%s: foreign key %s leaves its schema', t.name, k.conname)
  from t
  join pg_constraint k on k.conrelid = t.oid and k.contype = 'f'
  join pg_class f on f.oid = k.confrelid
  where f.relnamespace <> (select relnamespace from pg_class where oid = t.oid)`;

const viewsWithOwnersRights = `
  select c.oid::regclass || ': view is not security_invoker' as problem
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where n.nspname = any ($1) and c.relkind = 'v' and not 'security_invoker=true' = any (coalesce(c.reloptions, '{}'))
  union all
  select c.oid::regclass || ': a service may read this materialized view'
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  cross join lateral aclexplode(c.relacl) a
  where n.nspname = any ($1) and c.relkind = 'm' and a.grantee <> c.relowner`;

const functionsThatCross = `
  select p.oid::regprocedure || ': security definer, but not on the list of app.allow_definer' as problem
  from pg_proc p join pg_namespace n on n.oid = p.pronamespace
  where n.nspname = any ($1 || '{app}'::text[]) and p.prosecdef
    and not exists (select 1 from app.definer_functions d where d.signature = p.oid::regprocedure::text)
  union all
  select p.oid::regprocedure || ': security definer without a fixed search_path'
  from pg_proc p join pg_namespace n on n.oid = p.pronamespace
  where n.nspname = any ($1 || '{app}'::text[]) and p.prosecdef and coalesce(p.proconfig::text, '') not like '%search_path%'
  union all
  select p.oid::regprocedure || ': anybody may call it'
  from pg_proc p join pg_namespace n on n.oid = p.pronamespace
  cross join lateral aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a
  where n.nspname = any ($1 || '{app}'::text[]) and p.prosecdef and a.grantee = 0
  union all
  select 'extension ' || extname || ' reaches outside of the database'
  from pg_extension where extname in ('dblink', 'postgres_fdw', 'file_fdw', 'plpython3u', 'plperlu', 'adminpack')`;

const rolesWithWaysRound = `
  with ours as (
    select * from pg_roles
    where rolname in ('relay', 'maintenance', 'jobs_worker') or rolname = any (select 'svc_' || s from unnest($1::text[]) s))
  select rolname || ' is a superuser' as problem from ours where rolsuper
  union all select rolname || ' bypasses row-level security' from ours where rolbypassrls
  union all select rolname || ' may make roles or databases' from ours where rolcreaterole or rolcreatedb
  union all select format('%s is a member of %s', o.rolname, g.rolname)
    from ours o join pg_auth_members m on m.member = o.oid join pg_roles g on g.oid = m.roleid
  union all select format('%s owns %s', o.rolname, c.oid::regclass) from ours o join pg_class c on c.relowner = o.oid
  union all select format('%s may create in schema %s', o.rolname, n.nspname)
    from ours o, pg_namespace n where has_schema_privilege(o.oid, n.oid, 'create') and n.nspname not like 'pg_temp%'
  union all select format('%s may %s %s', o.rolname, lower(a.privilege_type), c.oid::regclass)
    from ours o, pg_class c cross join lateral aclexplode(c.relacl) a
    where a.grantee = o.oid and a.privilege_type in ('TRUNCATE', 'REFERENCES', 'TRIGGER', 'MAINTAIN')
  union all select format('%s may use schema %s of another service', o.rolname, n.nspname)
    from ours o, pg_namespace n
    where n.nspname = any ($1) and o.rolname like 'svc\\_%' and o.rolname <> 'svc_' || n.nspname
      and n.nspname not in ('jobs') and has_schema_privilege(o.oid, n.oid, 'usage')`;

const appendOnlyTablesThatAreNot = `
  select format('%s: only grows, yet %s may %s it', t.table_name, coalesce(r.rolname, 'public'), lower(a.privilege_type)) as problem
  from app.append_only_tables t
  join pg_class c on c.oid = t.table_name::regclass
  cross join lateral aclexplode(c.relacl) a
  left join pg_roles r on r.oid = a.grantee
  where a.grantee <> c.relowner and a.privilege_type in ('UPDATE', 'DELETE', 'TRUNCATE')
  union all
  select t.table_name || ': only grows, yet no trigger refuses changes'
  from app.append_only_tables t
  where (select count(*) from pg_trigger g
         where g.tgrelid = t.table_name::regclass and g.tgname in ('append_only', 'append_only_truncate') and g.tgenabled = 'O') <> 2`;

const counted = `
  select (select count(*)::int from (${tenantTables}) t) as tables,
         (select count(*)::int from pg_class c join pg_namespace n on n.oid = c.relnamespace
          where n.nspname = any ($1) and c.relkind = 'v') as views,
         (select count(*)::int from pg_proc p join pg_namespace n on n.oid = p.pronamespace
          where n.nspname = any ($1)) as functions,
         (select count(*)::int from pg_index i join pg_class c on c.oid = i.indrelid join pg_namespace n on n.oid = c.relnamespace
          where n.nspname = any ($1) and i.indisunique) as keys`;
