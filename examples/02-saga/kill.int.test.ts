import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { quickLoad } from '@ghasi/testing/quick-load';
import { waitUntil } from '@ghasi/testing/signal';
import { startSystem } from '@ghasi/testing/system';
import { expect, test } from 'vitest';
import { openShop } from './fixtures/shop.ts';
import { orders } from './orders/service.ts';
import { payments } from './payments/service.ts';
import { stock } from './stock/service.ts';

const till = fileURLToPath(new URL('./fixtures/till.ts', import.meta.url));

// When its work is done and not committed, and when it is committed and the broker does not know.
test.each(['consumer.after-effect', 'db.after-commit'])(
  'a process that is killed with SIGKILL at %s leaves an order that the next one sees to its end, once',
  async place => {
    // This process takes orders and payments and moves events; another one handles them.
    await using system = await startSystem({ services: [orders, stock, payments], consumers: false });
    const shop = await openShop(system);
    const start = (failpoints: string) => {
      const { adminUrl: SHOP_URL, secret: SHOP_SECRET } = system.database;
      const env = {
        ...quickLoad,
        PATH: process.env.PATH,
        SHOP_URL,
        SHOP_SECRET,
        MELM_FAILPOINTS: failpoints,
      };
      return spawn(process.execPath, [till], { env, stdio: ['ignore', 'ignore', 'inherit'] });
    };
    await shop.place('o1');
    await shop.pay('o1');
    const victim = start(`${place}=crash`);
    expect(await once(victim, 'exit')).toEqual([null, 'SIGKILL']);
    const heir = start('');
    try {
      const isOver = async () => (await shop.stands('o1'))[0] === 'confirmed';
      await waitUntil('the order is confirmed', isOver, { timeoutMs: 60_000 });
      expect(await shop.stands('o1')).toEqual(['confirmed', 7, 'taken']);
    } finally {
      heir.kill('SIGKILL');
      await once(heir, 'exit');
    }
  },
);
