import { eq } from '@ghasi/db/drizzle';
import { assertUpdated } from '@ghasi/db/optimistic';
import { isUniqueViolation } from '@ghasi/db/pg-errors';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { coreErrors } from '@ghasi/domain-primitives/errors';
import type { Settings } from '../queries/settings.ts';
import { settings } from '../tables.ts';

/** How the house writes, from now on. */
export async function putSettings(ctx: Ctx, { version, ...values }: Settings): Promise<Settings> {
  const row = { ...values, updatedAt: ctx.now };
  if (version === 0)
    await insertFirst('settings', ctx.tx.insert(settings).values({ tenantId: ctx.tenantId, ...row }));
  else {
    const updated = await ctx.tx
      .update(settings)
      .set({ ...row, version: version + 1 })
      .where(eq(settings.version, version));
    assertUpdated(updated, 'settings');
  }
  return { ...values, version: version + 1 };
}

/** Two who begin at once: the second one has based his change on what is no more. */
export async function insertFirst(entity: string, insert: PromiseLike<unknown>): Promise<void> {
  try {
    await insert;
  } catch (error) {
    if (isUniqueViolation(error)) throw coreErrors.VERSION_CONFLICT({ entity });
    throw error;
  }
}
