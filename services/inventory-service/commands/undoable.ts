import { sql } from '@ghasi/db/drizzle';
import { execute } from '@ghasi/db/sql';
import type { Ctx } from '@ghasi/db/tenant-transaction';

/** Does something; when it says false, whatever it wrote is undone and the transaction goes on. */
export async function undoable(ctx: Ctx, work: () => Promise<boolean>): Promise<boolean> {
  ctx.write(execute(ctx.tx, sql`savepoint attempt`));
  const done = await work();
  ctx.write(execute(ctx.tx, done ? sql`release savepoint attempt` : sql`rollback to savepoint attempt`));
  return done;
}
