import type { Client } from 'pg';
import { dbErrors } from './errors.ts';
import { platformRoles, serviceRole } from './roles.ts';

/**
 * Refuses to go on when a login role could get round row-level security: boot calls it, so that a hand-made "quick
 * fix" on a production database stops the service instead of opening every tenant's data.
 */
export async function assertSafeRoles(client: Client, schemas: readonly string[]): Promise<void> {
  const roles = [...platformRoles, ...schemas.map(serviceRole)];
  const { rows } = await client.query<{ role: string; reason: string }>(
    `with ours as (select oid, rolname, rolsuper, rolbypassrls from pg_roles where rolname = any ($1))
     select rolname as role, 'it is a superuser' as reason from ours where rolsuper
     union all
     select rolname, 'it bypasses row-level security' from ours where rolbypassrls
     union all
     select rolname, 'it may become the owner role' from ours where pg_has_role(oid, 'melm_owner', 'member') and not rolsuper
     union all
     select o.rolname, 'it owns ' || c.oid::regclass from ours o join pg_class c on c.relowner = o.oid
     union all
     select o.rolname, format('it may %s %s', lower(a.privilege_type), c.oid::regclass)
     from pg_class c cross join lateral aclexplode(c.relacl) a join ours o on o.oid = a.grantee
     where a.privilege_type in ('TRUNCATE', 'REFERENCES', 'TRIGGER')
     limit 1`,
    [roles],
  );
  const [unsafe] = rows;
  if (unsafe !== undefined) throw dbErrors.UNSAFE_ROLE(unsafe);
}
