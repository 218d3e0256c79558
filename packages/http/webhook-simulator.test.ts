import { createHash } from 'node:crypto';
import { signal } from '@ghasi/testing/signal';
import { expect, onTestFinished, test } from 'vitest';
import { type Call, VendorSimulator } from './vendor-simulator.ts';
import { isSignedBy, signWebhook } from './webhook-signature.ts';
import { WebhookSimulator } from './webhook-simulator.ts';

const secret = 'a secret of this test';

/** Our side: takes webhooks, and is a simulator itself, so that it can keep somebody waiting. */
async function openHotel() {
  const heard: Call[] = [];
  const simulator = new VendorSimulator<'hear'>({
    read: call => ({
      operation: 'hear',
      run: () => ({ status: 200, body: { heard: heard.push(call) } }),
    }),
    faults: {},
  });
  const url = await simulator.listen();
  onTestFinished(() => simulator.close());
  return { heard, simulator, url };
}

/** A courier: an order is told as it is taken, and delivered when somebody hurries. */
async function openCourier(address: string) {
  const courier = new WebhookSimulator<'order', string>({
    protocol: {
      webhook: event => ({ event }),
      sign: (key, timestamp, bodySha256) => ({
        'x-time': timestamp,
        'x-signature': signWebhook(key, { timestamp, bodySha256 }),
      }),
    },
    webhookSecret: secret,
    read: () => ({
      operation: 'order',
      run() {
        courier.tell('taken');
        return { status: 201 };
      },
    }),
    addressOf: () => address,
    hurry: () => courier.tell('delivered'),
  });
  const url = await courier.listen();
  onTestFinished(() => courier.close());
  return { courier, order: async () => (await fetch(url, { method: 'POST' })).status };
}

test('what happens is told in a signed webhook', async () => {
  const { heard, url } = await openHotel();
  const { courier, order } = await openCourier(url);
  expect(await order()).toBe(201);
  await courier.quiet();
  const [{ headers, body, text } = {} as Call] = heard;
  const bodySha256 = createHash('sha256').update(text).digest('hex');
  const signed = { timestamp: headers['x-time'] ?? '', signature: headers['x-signature'] ?? '', bodySha256 };
  expect(body).toEqual({ event: 'taken' });
  expect(isSignedBy(secret, signed, new Date())).toBe(true);
  expect(courier.sent).toEqual([{ event: 'taken', status: 200 }]);
});

test('a webhook can be signed with another secret or at another time, for who tries to forge one', async () => {
  const { courier } = await openCourier('');
  courier.now = () => new Date('2026-01-01T00:00:00.900Z');
  const own = courier.signed('taken');
  expect(own.headers).toMatchObject({ 'content-type': 'application/json', 'x-time': '1767225600' });
  expect(courier.signed('taken', 'guessed').headers['x-signature']).not.toBe(own.headers['x-signature']);
});

test('webhooks that are held go out by hand, as often as asked', async () => {
  const { heard, url } = await openHotel();
  const { courier, order } = await openCourier(url);
  courier.webhooks = 'hold';
  await order();
  await courier.quiet();
  expect([courier.events, heard.length]).toEqual([['taken'], 0]);
  await courier.deliver('taken', 2);
  expect(heard.map(({ body }) => body)).toEqual([{ event: 'taken' }, { event: 'taken' }]);
});

test('every webhook arrives as often as there are copies', async () => {
  const { heard, url } = await openHotel();
  const { courier, order } = await openCourier(url);
  courier.copies = 3;
  await order();
  await courier.quiet();
  expect([courier.events, heard.length]).toEqual([['taken'], 3]);
});

test('early: all is over and told before the answer leaves', async () => {
  const { heard, url } = await openHotel();
  const { courier, order } = await openCourier(url);
  courier.misbehave('order', 'early');
  expect(await order()).toBe(201);
  expect(heard.map(({ body }) => body.event).sort()).toEqual(['delivered', 'taken']); // two connections race
});

test('a webhook that nobody answers is written down as 0', async () => {
  const hotel = await openHotel();
  const { courier } = await openCourier(hotel.url);
  hotel.simulator.isUp = false;
  await courier.deliver('taken');
  expect(courier.sent).toEqual([{ event: 'taken', status: 0 }]);
});

test('closing waits for webhooks that are on their way', async () => {
  const hotel = await openHotel();
  const { courier, order } = await openCourier(hotel.url);
  const answered = signal();
  hotel.simulator.misbehave('hear', answered.promise);
  await order();
  const closing = courier.close();
  expect(courier.sent).toEqual([]);
  answered.fire();
  await closing;
  expect(courier.sent).toEqual([{ event: 'taken', status: 200 }]);
});
