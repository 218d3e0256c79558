import { randomUUID } from 'node:crypto';
import { accepted } from '@ghasi/db/accepted';
import type { Database } from '@ghasi/db/database';
import { type Ctx, systemTransaction, tenantTransaction } from '@ghasi/db/tenant-transaction';
import { days, minutes } from '@ghasi/domain-primitives/duration';
import { newId, type TenantId } from '@ghasi/domain-primitives/ids';
import { type HotTiers, openHotStore } from '@ghasi/hot/hot-store';
import { createLogger } from '@ghasi/telemetry/logger';
import { type TestDatabase, testDatabase } from '@ghasi/testing/database';
import { isolationContract } from '@ghasi/testing/isolation';
import { testOutbox } from '@ghasi/testing/outbox';
import { redisUrl } from '@ghasi/testing/redis';
import { newTenantId, testActor } from '@ghasi/testing/tenants';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { convert, failDraft } from './commands/settle-draft.ts';
import { assertMayManage } from './confirmation.ts';
import type { Draft } from './contract/booking-draft.ts';
import { dueDrafts, findDraft, findOwnDraft, saveDraft } from './drafts.ts';
import { someDraft } from './fixtures/draft.ts';
import { settleBookings, sweepDrafts } from './jobs.ts';
import { DRAFT_GRACE_MS } from './model.ts';
import { claimDraft, findDraftBooking, lockDraft } from './queries/draft-bookings.ts';
import { consumeArrival, noteArrival } from './queries/handoffs.ts';
import { type Booking, createBooking } from './runtime.ts';
import { service } from './service.ts';
import { findSession, loadSession, MANAGE_MS, saveSession } from './session.ts';

const log = createLogger({ name: 'test', level: 'silent' });
const start = new Date('2026-03-21T08:00:00Z');
const later = (ms: number) => new Date(start.getTime() + ms);

let database: TestDatabase;
let db: Database;
beforeAll(async () => {
  database = await testDatabase();
  db = database.open('bff_tenant_booking', { outbox: testOutbox(service) });
});
afterAll(() => database.drop());

const inside = <R>(tenantId: TenantId, work: (ctx: Ctx) => Promise<R>) =>
  tenantTransaction(db, { tenantId, actor: testActor, log, now: start }, work);

/** Whoever books it: everything but his name. */
const claimed = (ctx: Ctx, draft: Draft) =>
  claimDraft(ctx, {
    ...{ facts: draft, rail: 'card', guestEmailHash: null, guestPhoneHash: 'f'.repeat(64) },
    correlationId: newId('bdr'),
  });

const snapshots = (draft: Draft) =>
  database.admin<{ final_state: string }>(
    'select final_state from bff_tenant_booking.booking_draft_snapshots where draft_id = $1',
    [draft.draftId],
  );
const said = async (draft: Draft) => {
  const text = `select topic from bff_tenant_booking.outbox where ordering_key like '%' || $1`;
  const found = await database.admin<{ topic: string }>(text, [draft.draftId]);
  return found.map(({ topic }) => topic.split('.').at(-2));
};

const tiers = [
  { name: 'memory', url: undefined },
  { name: 'Redis', url: () => redisUrl() },
] as const;

describe.for(tiers)('drafts on $name', ({ url }) => {
  let hot: HotTiers;
  let booking: Booking;
  beforeAll(async () => {
    hot = await openHotStore({ redisUrl: url?.(), namespace: `bff-${randomUUID()}` });
    booking = createBooking({ ask: () => Promise.reject(new Error('nobody')), secret: 'of this test' });
    booking.use(hot);
  });
  afterAll(async () => {
    await booking.close();
    await hot.close();
  });
  const sweep = (now: Date) =>
    sweepDrafts(booking, { db, now, actor: testActor, log, signal: new AbortController().signal });

  test('the right to manage that a code and a phone number gave ends after its time', async () => {
    const [tenantId, sessionId, reservationId] = [newTenantId(), newId('tnt'), newId('rsv')];
    const seen = { headers: {}, address: '127.0.0.1' };
    const session = await loadSession(booking, { tenantId, sessionId }, { seen, now: start });
    const manages = [{ reservationId, until: later(MANAGE_MS).toISOString() }];
    await saveSession(hot.state, { ...session, manages }, start);
    const who = { db, tenantId, actor: testActor, log, sessionId, reservationId };
    await assertMayManage(booking, { ...who, now: later(MANAGE_MS - 1) });
    const late = assertMayManage(booking, { ...who, now: later(MANAGE_MS) });
    await expect(late).rejects.toThrow('not found');
    const other = assertMayManage(booking, { ...who, reservationId: newId('rsv'), now: start });
    await expect(other).rejects.toThrow('not found');
  });

  test('X-144, TB-56: an expired draft is put on record, said and forgotten; a second sweep says nothing new', async () => {
    const [over, open] = [someDraft(newTenantId()), someDraft(newTenantId())];
    const now = later(minutes(16));
    await saveDraft(hot.state, over, later(minutes(14)));
    await saveDraft(hot.state, { ...open, expiresAt: later(minutes(30)).toISOString() }, now);
    expect(await sweep(now)).toBe(1);
    expect(await snapshots(over)).toEqual([{ final_state: 'abandoned' }]);
    expect(await said(over)).toEqual(['abandoned']);
    expect(await findDraft(hot.state, over)).toBeUndefined();
    expect(await findDraft(hot.state, open)).toBeDefined();
    expect(await snapshots(open)).toEqual([]);
    await saveDraft(hot.state, over, later(minutes(14))); // a sweep that died before it forgot
    await sweep(now);
    expect(await said(over)).toEqual(['abandoned']);
  });

  test('X-118: a draft that somebody is booking is not abandoned, whatever the clock says', async () => {
    const draft = someDraft(newTenantId());
    await saveDraft(hot.state, draft, later(minutes(14)));
    await inside(draft.tenantId, ctx => claimed(ctx, draft));
    await sweep(later(minutes(20)));
    expect(await snapshots(draft)).toEqual([]);
    const due = await dueDrafts(hot.state, later(minutes(60)), 10);
    expect(due.map(({ draftId }) => draftId)).not.toContain(draft.draftId);
  });

  test('safety-10: a draft is found by its own session in its own tenant, and by nobody else', async () => {
    const draft = someDraft(newTenantId(), { expiresAt: new Date(Date.now() + 60_000).toISOString() });
    await saveDraft(hot.state, draft, new Date());
    const { draftId, tenantId, sessionId } = draft;
    expect(await findOwnDraft(hot.state, { draftId, tenantId, sessionId })).toEqual(draft);
    const others = [
      { draftId, tenantId, sessionId: newId('tnt') },
      { draftId, tenantId: newTenantId(), sessionId },
      { draftId: newId('bdr'), tenantId, sessionId },
    ];
    for (const other of others) expect(await findOwnDraft(hot.state, other)).toBeUndefined();
  });

  test('TB-16..TB-26: a session remembers hashes, never an address; another tenant’s is not found', async () => {
    const of = { tenantId: newTenantId(), sessionId: newId('tnt') };
    const seen = { headers: { 'user-agent': 'Mozilla/5.0 (Android; Mobile)' }, address: '203.0.113.9' };
    const session = await loadSession(booking, of, { seen, now: start });
    await saveSession(hot.state, session, start);
    expect(await findSession(hot.state, of)).toMatchObject({ ...of, deviceClass: 'browser-mobile' });
    expect(JSON.stringify(session)).not.toContain('203.0.113.9');
    expect(await findSession(hot.state, { ...of, tenantId: newTenantId() })).toBeUndefined();
  });

  test('X-144: the store keeps a draft five minutes longer than its guest may use it', async () => {
    const draft = someDraft(newTenantId(), { expiresAt: new Date(Date.now() - 1_000).toISOString() });
    await saveDraft(hot.state, draft, new Date());
    expect(await findDraft(hot.state, draft)).toEqual(draft);
    expect(DRAFT_GRACE_MS).toBe(minutes(5));
    await sweep(new Date());
  });
});

test('EVT-84, EVT-85: a booked draft ends once, as what came first', async () => {
  const draft = someDraft(newTenantId());
  const reservationId = newId('rsv');
  await inside(draft.tenantId, ctx => claimed(ctx, draft));
  const ends = [
    (ctx: Ctx) => convert(ctx, { draftId: draft.draftId, reservationId, rail: 'card' }),
    (ctx: Ctx) => convert(ctx, { draftId: draft.draftId, reservationId, rail: 'card' }),
    (ctx: Ctx) => failDraft(ctx, { named: { reservationId }, failure: 'HOLD_EXPIRED', reservationId }),
  ];
  for (const end of ends) await inside(draft.tenantId, async ctx => accepted(undefined, await end(ctx)));
  expect(await said(draft)).toEqual(['converted']);
  expect(await snapshots(draft)).toEqual([{ final_state: 'converted' }]);
  const row = await inside(draft.tenantId, ({ tx }) => findDraftBooking(tx, draft.draftId));
  expect(row).toMatchObject({ state: 'converted', reservationId });
});

test('a booking nobody told us the end of is asked about, and settled as its owner says', async () => {
  const draft = someDraft(newTenantId());
  await inside(draft.tenantId, ctx => claimed(ctx, draft));
  const booking = createBooking({ ask: async () => null as never, secret: 'of this test' });
  const now = later(minutes(16));
  await settleBookings(booking, { db, now, actor: testActor, log, signal: new AbortController().signal });
  expect(await said(draft)).toEqual(['failed']);
});

test('a booking that cannot be asked about keeps no other from being settled, and fails the round', async () => {
  const [first, second] = [someDraft(newTenantId()), someDraft(newTenantId())];
  for (const draft of [first, second]) await inside(draft.tenantId, ctx => claimed(ctx, draft));
  const ask = async (_: unknown, { tenantId }: { tenantId: string }) => {
    if (tenantId === first.tenantId) throw new Error('reservation does not answer for this one');
    return null as never;
  };
  const booking = createBooking({ ask: ask as never, secret: 'of this test' });
  const now = later(minutes(16));
  const round = settleBookings(booking, {
    ...{ db, now, actor: testActor, log },
    signal: new AbortController().signal,
  });
  await expect(round).rejects.toThrow('does not answer for this one');
  expect([await said(first), await said(second)]).toEqual([[], ['failed']]);
});

test('X-146: a signature is consumed once and only in its time', async () => {
  const tenantId = newTenantId();
  const [fingerprint, draftId] = ['a'.repeat(64), newId('bdr')];
  const arrival = {
    ...{ id: newId('bha'), consumerSessionId: 'consumer-1', propertyId: randomUUID(), payload: {} },
    ...{ expiresAt: later(minutes(1)), hmacSignatureFingerprint: fingerprint, signingKeyId: 'h1' },
    ...{ remoteIpHash: 'b', userAgentClass: 'browser-mobile' },
  };
  await inside(tenantId, ctx => noteArrival(ctx, arrival));
  await inside(tenantId, ctx => noteArrival(ctx, { ...arrival, id: newId('bha') })); // the same link again
  const consume = (now: Date) =>
    inside(tenantId, ctx => consumeArrival({ ...ctx, now }, { fingerprint, draftId }));
  expect(await consume(later(minutes(2)))).toBe(false);
  const tries = await Promise.all(Array.from({ length: 6 }, () => consume(start)));
  expect(tries.filter(Boolean)).toHaveLength(1);
  const elsewhere = await inside(newTenantId(), ctx => consumeArrival(ctx, { fingerprint, draftId }));
  expect(elsewhere).toBe(false);
});

test('TB-53, TB-54: what is older than 30 days is removed for all tenants, and nothing else', async () => {
  const [old, young] = [someDraft(newTenantId()), someDraft(newTenantId())];
  for (const draft of [old, young]) {
    await inside(draft.tenantId, async ctx => {
      await claimed(ctx, draft);
      const of = { draftId: draft.draftId, reservationId: newId('rsv'), rail: 'card' };
      return accepted(undefined, await convert(ctx, of));
    });
  }
  const late = (table: string, column: string) =>
    database.admin(`update bff_tenant_booking.${table} set ${column} = $1 where draft_id = $2`, [
      later(-days(31)),
      old.draftId,
    ]);
  await late('booking_draft_snapshots', 'finalized_at');
  await late('draft_bookings', 'updated_at');
  const maintenance = database.openAs('maintenance');
  const { signal } = new AbortController();
  const ctx = {
    ...{ now: start, actor: testActor, log, job: { signal } },
    transaction: (work: (own: Ctx) => Promise<unknown>) =>
      systemTransaction(maintenance, { actor: testActor, log }, work),
  };
  for (const { job } of service.schedules)
    if (/(handoff-arrival|draft-snapshot|draft-booking)-prune$/.test(job.name))
      await job.work.run(ctx as never, {});
  expect(await snapshots(old)).toEqual([]);
  expect(await snapshots(young)).toHaveLength(1);
  const left = await database.admin<{ draft_id: string }>(
    'select draft_id from bff_tenant_booking.draft_bookings',
  );
  expect(left.map(one => one.draft_id)).not.toContain(old.draftId);
  expect(left.map(one => one.draft_id)).toContain(young.draftId);
});

describe('TEN-08, safety-3, safety-7: every table keeps tenants apart', () => {
  const [own, other] = [newTenantId(), newTenantId()];
  beforeAll(async () => {
    for (const tenantId of [own, other]) await bookOne(tenantId);
  });
  isolationContract(service, () => ({ database, db, own, other }));
});

/** A row in every table: somebody came from the consumer site and booked. */
async function bookOne(tenantId: TenantId): Promise<void> {
  await inside(tenantId, async ctx => {
    const draft = someDraft(tenantId);
    await lockDraft(ctx, draft.draftId);
    await claimed(ctx, draft);
    const row = await findDraftBooking(ctx.tx, draft.draftId);
    await noteArrival(ctx, {
      ...{ id: newId('bha'), consumerSessionId: 'c', propertyId: randomUUID(), payload: {} },
      ...{ expiresAt: start, hmacSignatureFingerprint: randomUUID(), signingKeyId: 'h1' },
      ...{ remoteIpHash: 'b', userAgentClass: 'browser-mobile' },
    });
    const of = { draftId: draft.draftId, reservationId: newId('rsv'), rail: row?.rail ?? '' };
    return accepted(undefined, await convert(ctx, of));
  });
}
