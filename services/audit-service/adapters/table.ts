import { eq } from '@ghasi/db/drizzle';
import { type AnchorMedium, RootTaken, recordOf } from '../anchor.ts';
import { keptRoots } from '../tables.ts';

/**
 * Keeps roots in a table that only grows: what an installation has that names no other medium. It holds out against the
 * service and its mistakes, not against whoever owns the database server; put roots elsewhere where that matters.
 */
export const tableMedium: AnchorMedium = {
  medium: 'write_once_storage',
  async put(ctx, tenantId, root) {
    const record = recordOf(tenantId, root);
    await ctx.transaction(
      async ({ tx }) => {
        await tx.insert(keptRoots).values({ tenantId, day: root.day, record }).onConflictDoNothing();
      },
      { tenantId },
    );
    if ((await this.read(ctx, tenantId, root.day)) !== record) throw new RootTaken(tenantId, root.day);
    return `table:audit.kept_roots/${tenantId}/${root.day}`;
  },
  read: (ctx, tenantId, day) =>
    ctx.transaction(
      async ({ tx }) => {
        const [found] = await tx.select().from(keptRoots).where(eq(keptRoots.day, day));
        return found?.record;
      },
      { tenantId },
    ),
};
