import type { Client } from 'pg';

/** One fact of a database that a release determines: how it reads, and the statements that make or unmake it. */
export type CatalogFact = {
  kind: string;
  name: string;
  definition: string;
  make: string;
  unmake: string;
};

/**
 * Everything in the given schemas that decides what a role may see or do, and the shape of the tables, as a sorted
 * list of facts. Two databases are alike when their lists are.
 */
export async function readCatalog(client: Client, schemas: readonly string[]): Promise<CatalogFact[]> {
  const facts: CatalogFact[] = [];
  for (const text of queries) {
    const { rows } = await client.query<CatalogFact>(text, text.includes('$1') ? [schemas] : []);
    facts.push(...rows);
  }
  return facts.filter(({ name }) => !ofOneDay.test(name)).sort((a, b) => order(a).localeCompare(order(b)));
}

/** Partitions of one day (`log_20260321`) come and go; their parent says what they are like. */
const ofOneDay = /_\d{8}(?!\d)/;

function order(fact: CatalogFact): string {
  return `${fact.kind} ${fact.name}`;
}

// Each query returns (kind, name, definition, make, unmake). `$1` is the list of schemas.
const queries = [
  // Roles: what they may do anywhere.
  `select 'role' as kind, rolname as name,
          concat_ws(' ', case when rolsuper then 'superuser' else 'nosuperuser' end,
                         case when rolbypassrls then 'bypassrls' else 'nobypassrls' end,
                         case when rolcreaterole then 'createrole' else 'nocreaterole' end,
                         case when rolcreatedb then 'createdb' else 'nocreatedb' end,
                         case when rolreplication then 'replication' else 'noreplication' end,
                         case when rolcanlogin then 'login' else 'nologin' end) as definition,
          format('alter role %I with nosuperuser nobypassrls nocreaterole nocreatedb noreplication %s;', rolname,
                 case when rolname = 'melm_owner' then 'nologin' else 'login' end) as make,
          format('drop role %I;', rolname) as unmake
   from pg_roles
   where rolname in ('melm_owner', 'relay', 'maintenance', 'jobs_worker')
      or rolname = any (select 'svc_' || s from unnest($1::text[]) s)`,
  `select 'role setting' as kind, rolname || ' ' || split_part(setting, '=', 1) as name, setting as definition,
          format('alter role %I set %s = %L;', rolname, split_part(setting, '=', 1), split_part(setting, '=', 2)) as make,
          format('alter role %I reset %s;', rolname, split_part(setting, '=', 1)) as unmake
   from pg_roles, unnest(rolconfig) setting
   where rolname in ('relay', 'maintenance', 'jobs_worker')
      or rolname = any (select 'svc_' || s from unnest($1::text[]) s)`,
  `select 'membership' as kind, format('%s in %s', member.rolname, grp.rolname) as name, 'member' as definition,
          format('grant %I to %I;', grp.rolname, member.rolname) as make,
          format('revoke %I from %I;', grp.rolname, member.rolname) as unmake
   from pg_auth_members m
   join pg_roles grp on grp.oid = m.roleid
   join pg_roles member on member.oid = m.member
   where not member.rolsuper
     and (member.rolname in ('melm_owner', 'relay', 'maintenance', 'jobs_worker')
          or member.rolname = any (select 'svc_' || s from unnest($1::text[]) s))`,
  // Tables: owner and row-level security.
  `select 'owner' as kind, c.oid::regclass::text as name, r.rolname as definition,
          format('alter table %s owner to %I;', c.oid::regclass, r.rolname) as make,
          format('-- table %s should not exist: drop it by hand after looking at it', c.oid::regclass) as unmake
   from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_roles r on r.oid = c.relowner
   where n.nspname = any ($1) and c.relkind in ('r', 'p', 'v', 'm', 'S') and not c.relispartition`,
  `select 'row security' as kind, c.oid::regclass::text as name,
          format('enabled=%s forced=%s', c.relrowsecurity, c.relforcerowsecurity) as definition,
          format('alter table %s %s row level security, %s row level security;', c.oid::regclass,
                 case when c.relrowsecurity then 'enable' else 'disable' end,
                 case when c.relforcerowsecurity then 'force' else 'no force' end) as make,
          '' as unmake
   from pg_class c join pg_namespace n on n.oid = c.relnamespace
   where n.nspname = any ($1) and c.relkind in ('r', 'p') and not c.relispartition`,
  `select 'policy' as kind, format('%s on %s', p.polname, p.polrelid::regclass) as name,
          d.body as definition,
          format('create policy %I on %s %s;', p.polname, p.polrelid::regclass, d.body) as make,
          format('drop policy %I on %s;', p.polname, p.polrelid::regclass) as unmake
   from pg_policy p
   join pg_class c on c.oid = p.polrelid join pg_namespace n on n.oid = c.relnamespace
   cross join lateral (
     select concat_ws(' ',
       case when p.polpermissive then 'as permissive' else 'as restrictive' end,
       'for ' || case p.polcmd when 'r' then 'select' when 'a' then 'insert' when 'w' then 'update' when 'd' then 'delete' else 'all' end,
       'to ' || coalesce((select string_agg(quote_ident(r.rolname), ', ' order by r.rolname) from pg_roles r where r.oid = any (p.polroles)), 'public'),
       'using (' || pg_get_expr(p.polqual, p.polrelid) || ')',
       'with check (' || pg_get_expr(p.polwithcheck, p.polrelid) || ')') as body) d
   where n.nspname = any ($1) and not c.relispartition`,
  // Grants on schemas, tables, columns aside, sequences and functions.
  `select 'grant' as kind, format('%s on %s %s to %s', lower(a.privilege_type), o.what, o.name, coalesce(r.rolname, 'public')) as name,
          'granted' as definition,
          format('grant %s on %s %s to %s;', a.privilege_type, o.what, o.name, coalesce(quote_ident(r.rolname), 'public')) as make,
          format('revoke %s on %s %s from %s;', a.privilege_type, o.what, o.name, coalesce(quote_ident(r.rolname), 'public')) as unmake
   from (
     select 'schema' as what, quote_ident(nspname) as name, nspowner as owner, nspacl as acl
     from pg_namespace where nspname = any ($1)
     union all
     select case c.relkind when 'S' then 'sequence' else 'table' end, c.oid::regclass::text, c.relowner, c.relacl
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = any ($1) and c.relkind in ('r', 'p', 'v', 'm', 'S') and not c.relispartition
     union all
     select 'function', p.oid::regprocedure::text, p.proowner, coalesce(p.proacl, acldefault('f', p.proowner))
     from pg_proc p join pg_namespace n on n.oid = p.pronamespace
     where n.nspname = any ($1)
   ) o
   cross join lateral aclexplode(o.acl) a
   left join pg_roles r on r.oid = a.grantee
   where a.grantee <> o.owner`,
  // Shape: columns, constraints, indexes, views, functions, triggers.
  `select 'column' as kind, format('%s.%I', c.oid::regclass, a.attname) as name,
          concat_ws(' ', format_type(a.atttypid, a.atttypmod), case when a.attnotnull then 'not null' end,
                    case when a.attgenerated <> '' then 'generated as (' || pg_get_expr(d.adbin, d.adrelid) || ')'
                         when d.adbin is not null then 'default ' || pg_get_expr(d.adbin, d.adrelid) end) as definition,
          format('alter table %s add column %I %s;', c.oid::regclass, a.attname, format_type(a.atttypid, a.atttypmod)) as make,
          format('-- column %s.%I should not exist: drop it by hand after looking at it', c.oid::regclass, a.attname) as unmake
   from pg_attribute a
   join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
   left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
   where n.nspname = any ($1) and c.relkind in ('r', 'p') and not c.relispartition and a.attnum > 0 and not a.attisdropped`,
  `select 'constraint' as kind, format('%I on %s', k.conname, k.conrelid::regclass) as name, pg_get_constraintdef(k.oid) as definition,
          format('alter table %s add constraint %I %s;', k.conrelid::regclass, k.conname, pg_get_constraintdef(k.oid)) as make,
          format('alter table %s drop constraint %I;', k.conrelid::regclass, k.conname) as unmake
   from pg_constraint k join pg_class c on c.oid = k.conrelid join pg_namespace n on n.oid = c.relnamespace
   where n.nspname = any ($1) and k.contype in ('c', 'f', 'u', 'p', 'x') and not c.relispartition`,
  `select 'index' as kind, i.indexrelid::regclass::text as name, pg_get_indexdef(i.indexrelid) as definition,
          pg_get_indexdef(i.indexrelid) || ';' as make, format('drop index %s;', i.indexrelid::regclass) as unmake
   from pg_index i
   join pg_class c on c.oid = i.indrelid join pg_namespace n on n.oid = c.relnamespace
   where n.nspname = any ($1) and not c.relispartition
     and not exists (select 1 from pg_constraint k where k.conindid = i.indexrelid and k.contype in ('u', 'p', 'x'))`,
  `select 'view' as kind, c.oid::regclass::text as name,
          coalesce(array_to_string(c.reloptions, ',') || ' ', '') || pg_get_viewdef(c.oid) as definition,
          format('create or replace view %s with (%s) as %s', c.oid::regclass, coalesce(array_to_string(c.reloptions, ', '), 'security_invoker=true'), pg_get_viewdef(c.oid)) as make,
          format('drop view %s;', c.oid::regclass) as unmake
   from pg_class c join pg_namespace n on n.oid = c.relnamespace
   where n.nspname = any ($1) and c.relkind = 'v'`,
  `select 'function' as kind, p.oid::regprocedure::text as name, pg_get_functiondef(p.oid) as definition,
          pg_get_functiondef(p.oid) || ';' as make, format('drop function %s;', p.oid::regprocedure) as unmake
   from pg_proc p join pg_namespace n on n.oid = p.pronamespace
   where n.nspname = any ($1) and p.prokind in ('f', 'p')`,
  `select 'trigger' as kind, format('%I on %s', t.tgname, t.tgrelid::regclass) as name,
          concat_ws(' ', pg_get_triggerdef(t.oid), case t.tgenabled when 'O' then null else 'state ' || t.tgenabled::text end) as definition,
          format('drop trigger if exists %I on %s; %s; alter table %s enable trigger %I;', t.tgname, t.tgrelid::regclass,
                 pg_get_triggerdef(t.oid), t.tgrelid::regclass, t.tgname) as make,
          format('drop trigger %I on %s;', t.tgname, t.tgrelid::regclass) as unmake
   from pg_trigger t join pg_class c on c.oid = t.tgrelid join pg_namespace n on n.oid = c.relnamespace
   where n.nspname = any ($1) and not t.tgisinternal and not c.relispartition`,
];
