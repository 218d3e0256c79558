import { signal } from '@ghasi/testing/signal';
import { expect, onTestFinished, test } from 'vitest';
import { type Call, VendorSimulator } from './vendor-simulator.ts';

/** A bookshop: an order is one more book sold, and `twice` is a fault of its own. */
async function openShop() {
  const calls: Call[] = [];
  const books = { sold: 0 };
  const arrived = signal(); // without a fault the book is sold in that same moment
  const order = () => ({ status: 201, body: { sold: ++books.sold } });
  const simulator = new VendorSimulator<'order' | 'count', 'twice'>({
    read(call) {
      calls.push(call);
      if (call.path === '/count') return { operation: 'count', run: () => ({ status: 204, body: {} }) };
      if (call.path === '/page') return { status: 200, body: '<p>books</p>', headers: { etag: '"1"' } };
      if (call.path !== '/orders') return undefined;
      arrived.fire();
      return { operation: 'order', run: order };
    },
    faults: {
      twice(run) {
        run();
        return run();
      },
    },
  });
  const url = await simulator.listen();
  onTestFinished(() => simulator.close());
  const ask = async (path: string, init: RequestInit = {}) => {
    const reply = await fetch(`${url}${path}`, init);
    return { status: reply.status, headers: reply.headers, text: await reply.text() };
  };
  const buy = () => ask('/orders', { method: 'POST', body: '{"book":"Masnavi"}' });
  return { simulator, books, calls, arrived: arrived.promise, ask, buy };
}

test('without a fault a call has its effect, and its answer is JSON', async () => {
  const { buy, simulator } = await openShop();
  const { status, headers, text } = await buy();
  expect([status, headers.get('content-type'), text]).toEqual([201, 'application/json', '{"sold":1}']);
  expect(simulator.asked).toEqual(['order']);
});

test('cut: nothing happened and nobody answers', async () => {
  const shop = await openShop();
  shop.simulator.misbehave('order', 'cut');
  await expect(shop.buy()).rejects.toThrow();
  expect(shop.books.sold).toBe(0);
});

test('lost: it happened and nobody answers', async () => {
  const shop = await openShop();
  shop.simulator.misbehave('order', 'lost');
  await expect(shop.buy()).rejects.toThrow();
  expect(shop.books.sold).toBe(1);
});

test('error: nothing happened and the answer is 500', async () => {
  const shop = await openShop();
  shop.simulator.misbehave('order', 'error');
  expect(await shop.buy()).toMatchObject({ status: 500, text: '{"error":"something broke"}' });
  expect(shop.books.sold).toBe(0);
});

test('garbage: it happened and the answer is none', async () => {
  const shop = await openShop();
  shop.simulator.misbehave('order', 'garbage');
  const { status, headers, text } = await shop.buy();
  expect([status, headers.get('content-type'), text]).toEqual([200, null, '<html>maintenance</html>']);
  expect(shop.books.sold).toBe(1);
});

test('a promise: nothing happens until it is kept', async () => {
  const shop = await openShop();
  const kept = signal();
  shop.simulator.misbehave('order', kept.promise);
  const ordered = shop.buy();
  await shop.arrived;
  expect(shop.books.sold).toBe(0);
  kept.fire();
  expect(await ordered).toMatchObject({ status: 201, text: '{"sold":1}' });
});

test('a number: it happens after the call was read, not with it', async () => {
  const shop = await openShop();
  shop.simulator.misbehave('order', 1);
  const ordered = shop.buy();
  await shop.arrived;
  expect(shop.books.sold).toBe(0);
  expect(await ordered).toMatchObject({ status: 201, text: '{"sold":1}' });
});

test('a fault of its own decides about effect and answer', async () => {
  const shop = await openShop();
  shop.simulator.misbehave('order', 'twice');
  expect(await shop.buy()).toMatchObject({ status: 201, text: '{"sold":2}' });
});

test('a common fault can have words of its own', async () => {
  const simulator = new VendorSimulator<'order'>({
    read: () => ({ operation: 'order', run: () => ({ status: 201 }) }),
    faults: { error: () => ({ status: 503, body: { message: 'closed' } }) },
  });
  const url = await simulator.listen();
  onTestFinished(() => simulator.close());
  simulator.misbehave('order', 'error');
  const reply = await fetch(url);
  expect([reply.status, await reply.json()]).toEqual([503, { message: 'closed' }]);
});

test('faults wait in line, each for the next call of its operation', async () => {
  const shop = await openShop();
  shop.simulator.misbehave('order', 'error');
  shop.simulator.misbehave('order', 'garbage');
  expect((await shop.ask('/count')).status).toBe(204);
  expect((await shop.buy()).status).toBe(500);
  expect((await shop.buy()).status).toBe(200);
  expect((await shop.buy()).status).toBe(201);
});

test('with the line down every connection is cut, until it behaves again and forgets its faults', async () => {
  const { buy, ask, simulator } = await openShop();
  simulator.misbehave('order', 'error');
  simulator.isUp = false;
  await expect(buy()).rejects.toThrow();
  await expect(ask('/page')).rejects.toThrow();
  expect(simulator.asked).toEqual([]);
  simulator.behave();
  expect((await buy()).status).toBe(201);
});

test('pages and refusals are beyond the reach of faults, and what nobody knows is 404', async () => {
  const { ask, simulator } = await openShop();
  const { status, headers, text } = await ask('/page');
  expect([status, headers.get('etag'), text]).toEqual([200, '"1"', '<p>books</p>']);
  expect(await ask('/nowhere')).toMatchObject({ status: 404, text: '{"error":"not found"}' });
  expect(simulator.asked).toEqual([]);
});

test('a protocol sees the JSON or the fields of a form, and the text that was signed', async () => {
  const { ask, buy, calls } = await openShop();
  await buy();
  await ask('/page?shelf=2', { method: 'POST', body: new URLSearchParams({ action: 'pay' }) });
  await ask('/page');
  expect(calls).toMatchObject([
    { method: 'POST', path: '/orders', body: { book: 'Masnavi' }, text: '{"book":"Masnavi"}' },
    { method: 'POST', path: '/page', body: { action: 'pay' }, text: 'action=pay' },
    { method: 'GET', path: '/page', body: {}, text: '' },
  ]);
  expect(calls[1]?.query.get('shelf')).toBe('2');
});

test('what is no JSON is cut, and the next call is served', async () => {
  const { ask, buy } = await openShop();
  await expect(ask('/orders', { method: 'POST', body: '{' })).rejects.toThrow();
  expect((await buy()).status).toBe(201);
});

test('closing cuts who is still waiting', async () => {
  const shop = await openShop();
  const never = signal();
  shop.simulator.misbehave('order', never.promise);
  const ordered = expect(shop.buy()).rejects.toThrow();
  await shop.arrived;
  await shop.simulator.close();
  await ordered;
});

test('a port that is taken is refused', async () => {
  const { simulator } = await openShop();
  const second = new VendorSimulator({ read: () => undefined, faults: {} });
  await expect(second.listen(Number(new URL(simulator.url).port))).rejects.toThrow('EADDRINUSE');
});
