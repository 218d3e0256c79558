import { newTenantId } from '@ghasi/testing/tenants';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type House, type MessageView, openHouse } from './fixtures/house.ts';
import type { Stay } from './fixtures/stay.ts';
import type { SimulatedMessage } from './simulators/simulated-provider.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
beforeEach(() => {
  house.sms.webhooks = 'hold';
  house.whatsapp.webhooks = 'hold';
});
afterAll(() => house?.close());

let count = 0;
async function arrive(guest: Parameters<House['guest']>[1] = {}, settings: object = {}) {
  count += 1;
  const tenantId = newTenantId();
  const owner = house.newPerson(['owner'], tenantId);
  if (Object.keys(settings).length > 0) await house.putSettings(owner, settings);
  return { tenantId, owner, stay: house.guest(tenantId, { phone: `+9370000${1_000 + count}`, ...guest }) };
}

const message = async (tenantId: Parameters<House['messages']>[0], stay: Stay) =>
  (await house.messages(tenantId, stay)).at(-1) as MessageView;
const taken = (tenantId: string, by: 'sms' | 'whatsapp' = 'sms'): SimulatedMessage[] =>
  house[by].provider.taken.filter(({ account }) => account === tenantId);
const names = async (tenantId: Parameters<House['told']>[0]) =>
  (await house.told(tenantId)).map(({ event, payload }) => `${event} ${payload.attempt}`);
const whatsappOnly = { whatsapp: 'always', sms: 'off' };

describe('an unknown outcome is never assumed', () => {
  test.each([
    ['sms', ['lost', 'garbage', 'cut', 'error'], {}],
    ['whatsapp', ['lost', 'garbage', 'cut', 'error'], whatsappOnly],
  ] as const)(
    '%s, answers %j: it stays `sending`, and then has arrived once',
    async (by, faults, settings) => {
      const guests = await Promise.all(faults.map(() => arrive({}, settings)));
      house[by].misbehave('send', ...faults);
      for (const { tenantId, stay } of guests) await house.system.publish(tenantId, [stay.checkInStarted()]);
      await house.settle();
      for (const { tenantId, stay } of guests) {
        expect(await message(tenantId, stay)).toMatchObject({
          channel: by,
          status: 'sending',
          calls: 1,
          attempt: 1,
        });
        expect(await names(tenantId)).toEqual([]);
      }
      await house.passTime();
      for (const { tenantId, stay } of guests) {
        expect(await message(tenantId, stay)).toMatchObject({ status: 'dispatched', calls: 2, attempt: 1 });
        expect(taken(tenantId, by)).toHaveLength(1);
        expect(await names(tenantId)).toEqual(['dispatched 1']);
      }
    },
  );

  test('SMTP: a line cut after DATA is repeated under the same Message-ID', async () => {
    const { tenantId, stay } = await arrive({ email: 'cut@guest.example' });
    house.mail.misbehave('lost', 'cut');
    await house.tell(tenantId, stay.checkInStarted());
    await house.passTime();
    expect(await message(tenantId, stay)).toMatchObject({ status: 'sending', calls: 2 });
    await house.passTime();
    const mails = house.mailsTo('cut@guest.example');
    expect(new Set(mails.map(({ headers }) => headers['message-id'])).size).toBe(1);
    expect(mails.length).toBeGreaterThan(1);
    expect(await names(tenantId)).toEqual(['dispatched 1']);
  });

  test('a worker that died while it was sending: the next one asks before it sends again', async () => {
    const { tenantId, stay } = await arrive({}, whatsappOnly);
    house.whatsapp.misbehave('send', 'lost');
    await house.tell(tenantId, stay.checkInStarted());
    // As the dead worker left it: taken, and nothing known.
    await house.system.database.admin(
      `update notification.messages set next_try_at = now() - interval '1 minute' where tenant_id = $1`,
      [tenantId],
    );
    await house.passTime();
    expect(await message(tenantId, stay)).toMatchObject({ status: 'dispatched' });
    expect(taken(tenantId, 'whatsapp')).toHaveLength(1);
  });

  test('silence to the end is a message that expired, told once', async () => {
    const { tenantId, stay } = await arrive();
    house.sms.misbehave('send', 'cut');
    await house.tell(tenantId, stay.confirmed());
    await house.system.database.admin(
      'update notification.messages set expires_at = now() where tenant_id = $1',
      [tenantId],
    );
    await house.passTime();
    await house.passTime();
    expect(await message(tenantId, stay)).toMatchObject({
      status: 'bounced',
      reason: 'expired',
      nextTryAt: null,
    });
    const [{ payload } = { payload: {} }] = await house.told(tenantId);
    expect(payload).toMatchObject({ reason: 'expired', permanent: true });
    expect(taken(tenantId)).toEqual([]);
  });
});

describe('EVT-64, EVT-65: receipts', () => {
  test.each([
    ['sms', {}],
    ['whatsapp', whatsappOnly],
  ] as const)('%s: each five times, out of order: one state, each fact told once', async (by, settings) => {
    const { tenantId, stay } = await arrive({}, settings);
    const from = house[by].events.length;
    await house.tell(tenantId, stay.checkInStarted());
    const [sent] = taken(tenantId, by) as [SimulatedMessage];
    house[by].provider.deliver(sent);
    const events = house[by].events.slice(from).toReversed();
    await Promise.all(events.map(event => house[by].deliver(event, 5)));
    await house.settle();
    expect(await message(tenantId, stay)).toMatchObject({
      status: 'delivered',
      deliveredAt: expect.any(String),
    });
    expect(await names(tenantId)).toEqual(['dispatched 1', 'delivered 1']);
    expect(house[by].sent.every(({ status }) => status === 200)).toBe(true);
  });

  test('any mixture and order of what a provider can say ends in the strongest of it', async () => {
    const order = fc.shuffledSubarray(['sent', 'delivered', 'failed'] as const, { minLength: 1 });
    await fc.assert(
      fc.asyncProperty(fc.array(order, { minLength: 8, maxLength: 8 }), async orders => {
        const guests = await Promise.all(orders.map(() => arrive()));
        for (const { tenantId, stay } of guests)
          await house.system.publish(tenantId, [stay.checkInStarted()]);
        await house.settle();
        await Promise.all(
          guests.map(async ({ tenantId }, place) => {
            const [sent] = taken(tenantId) as [SimulatedMessage];
            house.sms.provider.deliver(sent);
            house.sms.provider.fail(sent, 30007);
            const own = house.sms.events.filter(event => event.message === sent);
            for (const status of orders[place] ?? [])
              await house.sms.deliver(own.find(event => event.status === status) as (typeof own)[0], 2);
          }),
        );
        await house.settle();
        for (const [place, { tenantId, stay }] of guests.entries()) {
          const said: readonly string[] = orders[place] ?? [];
          const strongest = said.includes('delivered')
            ? 'delivered'
            : said.includes('failed')
              ? 'bounced'
              : 'dispatched';
          const [first] = await house.messages(tenantId, stay);
          expect(first).toMatchObject({ channel: 'sms', status: strongest });
        }
      }),
      { numRuns: 2 },
    );
  });

  test('a receipt that is quicker than the answer it belongs to finds its message', async () => {
    house.sms.webhooks = 'send';
    house.sms.misbehave('send', 'early');
    const { tenantId, stay } = await arrive();
    await house.tell(tenantId, stay.checkInStarted());
    expect(await message(tenantId, stay)).toMatchObject({ status: 'delivered' });
    expect(await names(tenantId)).toEqual(['dispatched 1', 'delivered 1']);
  });

  test('safety-22: forged, changed, stale, another tenant’s or another provider’s: refused, nothing is written', async () => {
    const { tenantId, stay } = await arrive();
    await house.tell(tenantId, stay.checkInStarted());
    const [sent] = taken(tenantId) as [SimulatedMessage];
    house.sms.provider.deliver(sent);
    const event = house.sms.events.at(-1) as (typeof house.sms.events)[0];
    const post = async (
      provider: string,
      account: string,
      { body, headers }: { body: string; headers: object },
    ) =>
      (
        await fetch(`${house.publicUrl}/api/v1/message-receipts/${provider}/${account}`, {
          method: 'POST',
          body,
          headers: { 'content-type': 'application/json', ...headers },
        })
      ).status;
    const good = house.sms.signed(event);
    const other = newTenantId();
    expect(await post('twilio', tenantId, { ...good, headers: {} })).toBe(401);
    expect(await post('twilio', tenantId, house.sms.signed(event, 'guessed'))).toBe(401);
    expect(await post('twilio', tenantId, { ...good, body: `${good.body} ` })).toBe(401);
    expect(await post('twilio', other, good)).toBe(401);
    expect(await post('meta', tenantId, good)).toBe(401);
    expect(await post('nobody', tenantId, good)).toBe(401);
    expect(await post('smtp', tenantId, good)).toBe(401);
    house.sms.now = () => new Date(Date.now() - 301_000);
    expect(await post('twilio', tenantId, house.sms.signed(event))).toBe(401);
    house.sms.now = () => new Date();
    expect(await message(tenantId, stay)).toMatchObject({ status: 'dispatched' });
    expect(await post('twilio', tenantId, good)).toBe(200);
    expect(await message(tenantId, stay)).toMatchObject({ status: 'delivered' });
  });
});

describe('what does not arrive', () => {
  test('EVT-65: a mailbox that is full is tried again as a second try, and may work', async () => {
    const { tenantId, stay } = await arrive({ email: 'full@guest.example' });
    house.mail.misbehave({ at: 'rcpt', reply: '452 4.2.2 mailbox full' });
    await house.tell(tenantId, stay.checkInStarted());
    expect(await message(tenantId, stay)).toMatchObject({ status: 'bounced', reason: 'mailbox_full' });
    await house.passTime();
    expect(await message(tenantId, stay)).toMatchObject({ status: 'dispatched', reason: null, attempt: 2 });
    expect(await names(tenantId)).toEqual(['bounced 1', 'dispatched 2']);
  });

  test('phone first: an address nobody knows is not written to again, and the letter goes by SMS', async () => {
    const { tenantId, stay } = await arrive({ email: 'typo@guest.example' });
    house.mail.misbehave({ at: 'rcpt', reply: '550 5.1.1 no such mailbox' });
    await house.tell(tenantId, stay.confirmed());
    const list = await house.messages(tenantId, stay);
    expect(list.map(({ channel, status }) => [channel, status])).toEqual([
      ['email', 'bounced'],
      ['sms', 'dispatched'],
    ]);
    await house.tell(tenantId, stay.checkInStarted());
    expect(await message(tenantId, stay)).toMatchObject({ template: 'welcome', channel: 'sms' });
    expect(house.mailsTo('typo@guest.example')).toEqual([]);
  });

  test('who answered STOP gets no SMS any more; the welcome lies on paper at the desk, dispatched (X-124)', async () => {
    const { tenantId, stay, owner } = await arrive();
    house.sms.provider.refuseNext(21610);
    await house.tell(tenantId, stay.checkInStarted());
    const list = await house.messages(tenantId, stay);
    expect(list.map(({ channel, status, reason }) => [channel, status, reason])).toEqual([
      ['sms', 'bounced', 'opted_out'],
      ['printed', 'dispatched', null],
    ]);
    const paper = list.at(-1) as MessageView;
    const { body } = await house.send(owner, 'GET', `/messages/${paper.messageId}`);
    expect(body).toMatchObject({
      text: expect.stringContaining('خوش آمدید'),
      html: expect.stringContaining('dir="rtl"'),
    });
    expect((await house.told(tenantId)).at(-1)?.payload).toMatchObject({
      template: 'welcome',
      channel: 'printed',
      provider: 'front_desk',
    });
  });

  test('a house that can reach nobody says so in the list, and contacts nobody', async () => {
    const { tenantId, stay } = await arrive({}, { sms: 'off' });
    const before = house.sms.provider.taken.length;
    await house.tell(tenantId, stay.confirmed());
    expect(await message(tenantId, stay)).toMatchObject({
      status: 'unreachable',
      channel: 'sms',
      provider: null,
    });
    expect(await house.told(tenantId)).toEqual([]);
    expect(house.sms.provider.taken).toHaveLength(before);
  });

  test('safety-45: no failure says to whom it was: no job, event or letter holds an address', async () => {
    const [phone, email] = ['+93799887766', 'canary@guest.example'];
    const { tenantId, stay } = await arrive({ phone, email }, { sms: 'always', whatsapp: 'always' });
    house.mail.misbehave({ at: 'rcpt', reply: `550 5.1.1 <${email}> is unknown` });
    house.sms.misbehave('send', 'garbage');
    house.whatsapp.misbehave('send', 'cut');
    await house.tell(tenantId, stay.checkInStarted());
    await house.passTime();
    const tables = await house.system.database.admin<{ name: string }>(
      `select c.oid::regclass::text as name from pg_class c
       where c.relnamespace in ('notification'::regnamespace, 'jobs'::regnamespace, 'brokers'::regnamespace)
         and c.relkind in ('r', 'p') and not c.relispartition and c.oid <> 'notification.messages'::regclass`,
    );
    expect(tables.length).toBeGreaterThan(10);
    for (const { name } of tables) {
      const hits = await house.system.database.admin(
        `select 1 from ${name} t where t::text ilike '%99887766%' or t::text ilike '%canary@%'`,
      );
      expect([name, hits.length]).toEqual([name, 0]);
    }
  });
});

test('X-090, ORD-09: a flood of one tenant is spread over time; another’s message and its own welcome go at once', async () => {
  const flooded = await openHouse({ pace: { perMinute: 6, burst: 3 } });
  try {
    const [noisy, quiet] = [newTenantId(), newTenantId()];
    const crowd = Array.from({ length: 8 }, () => flooded.guest(noisy, {}));
    await flooded.system.publish(
      noisy,
      crowd.map(stay => stay.confirmed()),
    );
    const [guest, welcome] = [flooded.guest(quiet, {}), flooded.guest(noisy, {})];
    await flooded.tell(quiet, guest.confirmed());
    await flooded.tell(noisy, welcome.checkInStarted());
    expect(await flooded.messages(quiet, guest)).toMatchObject([{ status: 'dispatched' }]);
    expect(await flooded.messages(noisy, welcome)).toMatchObject([{ status: 'dispatched' }]);
    const all = (await Promise.all(crowd.map(stay => flooded.messages(noisy, stay)))).flat();
    expect(all.filter(({ status }) => status === 'dispatched')).toHaveLength(3);
    const waiting = all
      .filter(({ status }) => status === 'queued')
      .map(one => Date.parse(one.nextTryAt as string));
    const gaps = waiting.toSorted().map((at, place, list) => at - (list[place - 1] ?? at - 10_000));
    expect(gaps).toEqual(Array(5).fill(10_000));
  } finally {
    await flooded.close();
  }
});

test('without any channel nobody is contacted: the welcome is paper, the rest is shown as unreachable', async () => {
  const bare = await openHouse({ channels: [] });
  try {
    const tenantId = newTenantId();
    const stay = bare.guest(tenantId, { email: 'x@guest.example' });
    await bare.tell(tenantId, stay.confirmed(), stay.checkInStarted());
    const seen = (await bare.messages(tenantId, stay)).map(({ template, channel, status }) => [
      template,
      channel,
      status,
    ]);
    expect(seen.toSorted()).toEqual([
      ['booking_confirmed', 'email', 'unreachable'],
      ['welcome', 'printed', 'dispatched'],
    ]);
    expect([bare.mail.caught.length, bare.sms.provider.taken.length]).toEqual([0, 0]);
    const owner = bare.newPerson(['owner'], tenantId);
    const [{ messageId }] = (await bare.messages(tenantId, stay)) as [MessageView];
    const again = await bare.send(owner, 'POST', `/messages/${messageId}/resend`, { channel: 'sms' });
    expect(again).toMatchObject({ status: 422, body: { code: 'CHANNEL_NOT_OFFERED' } });
  } finally {
    await bare.close();
  }
});
