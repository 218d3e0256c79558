import type { Database } from '@ghasi/db/database';
import { sql } from '@ghasi/db/drizzle';
import { row } from '@ghasi/db/sql';
import { tenantRead, tenantTransaction } from '@ghasi/db/tenant-transaction';
import { parseTenantId } from '@ghasi/domain-primitives/ids';
import { placeOrder } from '../01-first-service/orders/place-order.ts';

// Who asks comes from a session or a host name in a real shop; at this counter there is one tenant and one clerk.
const who = {
  tenantId: parseTenantId('01890a5d-ac96-774b-bcce-b302099a8057'),
  actor: { type: 'user', id: 'usr_clerk' },
} as const;

/** What the shop says to a line; a refusal is a line too. */
export async function answer(db: { orders: Database; stock: Database }, line: string): Promise<string> {
  const [what = '', ...words] = line.trim().split(/\s+/);
  try {
    if (what === 'order') return await order(db.orders, words);
    if (what === 'stock') return await reserved(db.stock, words);
    return 'I know "order <id> <article> <pieces>" and "stock <article>"';
  } catch (error) {
    return `refused: ${(error as Error).message}`;
  }
}

async function order(db: Database, [orderId = '', article = '', pieces = '']: string[]): Promise<string> {
  const wanted = { orderId, article, pieces: Number(pieces) };
  return `order ${await tenantTransaction(db, who, ctx => placeOrder(ctx, wanted))} is placed`;
}

async function reserved(db: Database, [article = '']: string[]): Promise<string> {
  const found = await tenantRead(db, who, ({ tx }) =>
    row<{ pieces: number }>(tx, sql`select pieces from stock.reserved where article = ${article}`),
  );
  return `${found?.pieces ?? 0} of ${article} are reserved`;
}
