import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { quickLoad } from '@ghasi/testing/quick-load';
import { startSystem } from '@ghasi/testing/system';
import { newTenantId } from '@ghasi/testing/tenants';
import { expect, test } from 'vitest';
import { placeOrder } from '../01-first-service/orders/place-order.ts';
import { orders } from '../01-first-service/orders/service.ts';
import { stock } from '../01-first-service/stock/service.ts';

const why = 'INC-7 the shelf was counted again';
const most = 2_000_000_000; // twice as many are more than the column holds

test('what the shop gave up on is seen, tried again, left out, and delivered once more', async () => {
  await using system = await startSystem({ services: [orders, stock] });
  const tenantId = newTenantId();
  const place = async (orderId: string) => {
    await system.run(orders, tenantId, placeOrder, { orderId, article: 'tea', pieces: most });
    await system.settled();
  };
  const reserved = () => system.query('stock', 'select pieces from reserved');
  const letters = lettersOf({ DATABASE_URL: system.database.adminUrl, SHOP_SECRET: system.database.secret });

  const since = new Date(Date.now() - 60_000).toISOString();
  await place('o1');
  await place('o2');
  const [letter, ...more] = (await letters()) as { id: number }[];
  expect(more).toEqual([]);
  expect(letter).toMatchObject({ subscription: 'stock-service', error: expect.stringContaining('integer') });
  const id = String(letter?.id);
  expect(await letters('show', id)).toMatchObject({ envelope: expect.stringContaining('"o2"') });
  expect(await letters('subscriptions')).toMatchObject([{ subscription: 'stock-service', dead: 1 }]);
  await expect(letters('replay', id)).rejects.toThrow('Say who changes this and why');

  await system.query('stock', 'update reserved set pieces = 0');
  expect(await letters('replay', id, why)).toMatchObject({ letters: [{ id: letter?.id }], dryRun: false });
  await system.settled();
  expect(await reserved()).toEqual([{ pieces: most }]);
  expect(await letters()).toEqual([]);

  for (const [orderId, how] of [
    ['o3', 'skip'],
    ['o4', 'quarantine'],
  ] as const) {
    await place(orderId);
    const [next] = (await letters()) as { id: number }[];
    await letters(how, String(next?.id), why);
    expect(await letters()).toEqual([]);
  }

  expect(await letters('replay-range', `stock-service@${since}`, why)).toMatchObject({ events: 4 });
  await system.settled();
  expect(await letters('seek', `stock-service@${since}`, why)).toMatchObject({ again: { count: 8 } });
  await system.settled();
  expect(await reserved()).toEqual([{ pieces: most }]); // the inbox knows all four
});

/** Runs the program as somebody on call does, and reads what it prints. */
function lettersOf(env: Record<string, string>) {
  return async (...words: string[]): Promise<unknown> => {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [join(import.meta.dirname, 'letters.ts'), ...words],
      { env: { ...quickLoad, PATH: process.env.PATH, ...env } },
    );
    return JSON.parse(stdout);
  };
}
