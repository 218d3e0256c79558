import { accepted } from '@ghasi/db/accepted';
import type { Database } from '@ghasi/db/database';
import { tenantTransaction } from '@ghasi/db/tenant-transaction';
import type { Id, TenantId } from '@ghasi/domain-primitives/ids';
import { userCreated } from './facts.ts';
import { passwordHasher } from './password-hash.ts';
import { insertOperator, listOperators } from './queries/operators.ts';

/** A person of the demo. */
export type DemoOperator = {
  tenantId: TenantId;
  operatorId: Id<'usr'>;
  email: string;
  name: string;
  password: string;
};

/**
 * Adds the demo's people where they are missing and leaves the others as they are. Their hashes are cheap and without
 * the installation's pepper, which this function does not know; the first sign-in replaces them.
 */
export async function seedOperators(db: Database, people: readonly DemoOperator[]): Promise<void> {
  const hasher = passwordHasher({ memoryKib: 19_456, passes: 2, lanes: 1 });
  await Promise.all(
    people.map(async ({ tenantId, operatorId, email, name, password }) => {
      const who = { tenantId, actor: { type: 'system', id: 'demo' } } as const;
      const known = await tenantTransaction(db, who, ctx => listOperators(ctx, { limit: 100 }));
      if (known.some(({ id }) => id === operatorId)) return;
      const password_hash = await hasher.hash(password, { tenantId, operatorId });
      await tenantTransaction(db, who, async ctx => {
        const operator = { id: operatorId, email, name, status: 'active', password_hash } as const;
        const isNew = await insertOperator(ctx, operator);
        const created = { operatorId, status: operator.status, createdBy: null };
        return accepted(undefined, isNew ? [userCreated(created)] : []);
      });
    }),
  );
}
