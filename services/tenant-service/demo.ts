import { accepted } from '@ghasi/db/accepted';
import type { Database } from '@ghasi/db/database';
import { type Actor, tenantTransaction } from '@ghasi/db/tenant-transaction';
import { payloadHash } from '@ghasi/domain-primitives/canonical-json';
import { type Id, PLATFORM_TENANT_ID, type TenantId } from '@ghasi/domain-primitives/ids';
import { addMembership } from './commands/memberships.ts';
import { createTenant } from './commands/tenants.ts';
import type { Settings } from './contract/resources.ts';
import type { PropertyScope, Role } from './contract.ts';
import { topRole } from './model.ts';
import { findMembershipOf } from './queries/memberships.ts';
import { findTenant } from './queries/tenants.ts';

/** A tenant as a seed describes it. One member must be an owner; members work in all properties by default. */
export type SeedTenant = {
  tenantId: TenantId;
  slug: string;
  name: string;
  rooms?: number;
  settings?: Partial<Settings>;
  members: readonly { operatorId: Id<'usr'>; roles: readonly Role[]; propertyIds?: PropertyScope }[];
};

const seeder: Actor = { type: 'system', id: 'seed' };

/** Makes the tenants and members that are missing and leaves those that exist as they are; safe to run at every start. */
export async function seedTenants(db: Database, seeds: readonly SeedTenant[]): Promise<void> {
  for (const seed of seeds) await seedTenant(db, seed);
}

async function seedTenant(
  db: Database,
  { tenantId, slug, name, rooms = 12, settings = {}, members }: SeedTenant,
) {
  await tenantTransaction(db, { tenantId, actor: seeder }, async ctx => {
    const events: unknown[] = [];
    // The platform's own tenant comes with the migrations; it has members to add only.
    if (tenantId !== PLATFORM_TENANT_ID && (await findTenant(ctx.tx)) === undefined) {
      const owner = members.find(member => member.roles.includes(topRole(tenantId)));
      if (owner === undefined) throw new Error(`seed ${slug}: one member must be an owner`);
      const facts = {
        slug,
        name,
        rooms,
        settings,
        region: 'me-central1',
        ownerId: owner.operatorId,
      } as const;
      const created = await createTenant(ctx, { ...facts, requestHash: payloadHash(['seed', tenantId]) });
      events.push(...created.events);
    }
    for (const { operatorId, roles, propertyIds = 'all' } of members) {
      if (await findMembershipOf(ctx.tx, operatorId)) continue;
      const added = await addMembership(ctx, { operatorId, roles: [...roles], propertyIds });
      events.push(...added.events);
    }
    return accepted(undefined, events);
  });
}
