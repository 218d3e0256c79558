import { randomUUID } from 'node:crypto';
import { armFailpoint, disarmFailpoints } from '@ghasi/domain-primitives/failpoint';
import { newId, parseTenantId } from '@ghasi/domain-primitives/ids';
import { addDays } from '@ghasi/domain-primitives/local-date';
import { waitUntil } from '@ghasi/testing/signal';
import { signHandoff } from '@melmastoon/bff-tenant-booking-service/handoff';
import { handoffKey } from '@melmastoon/bff-tenant-booking-service/runtime';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type BookingGuest, bookingGuest, confirmation, person } from './fixtures/booking-guest.ts';
import { type BookingServer, bookingServer } from './fixtures/booking-server.ts';
import { type Body, deskClient } from './fixtures/desk-client.ts';
import { onThePage } from './fixtures/stay.ts';

/** Further than the stays of the demo reach: there is room. */
const FAR = 200;

describe.for(['memory', 'redis'] as const)('the booking site’s BFF on %s', tier => {
  let server: BookingServer;
  let guest: BookingGuest;
  beforeAll(async () => {
    server = await bookingServer(tier);
    guest = await bookingGuest(server.url, 'bala-hissar');
  });
  afterAll(() => server.close());

  /** Rows of the service's own tables, as the database has them. */
  const snapshotOf = async (draftId: string) => {
    const sql = 'select * from bff_tenant_booking.booking_draft_snapshots where draft_id = $1';
    return (await server.database.admin<Record<string, unknown>>(sql, [draftId]))[0];
  };
  const bookingsOf = (draftId: string) =>
    server.database.admin<{ status: string }>(
      `select status from reservation.reservations where agreed ->> 'bookingDraftId' = $1`,
      [draftId],
    );

  test('TB-06, TB-08: a visitor gets a session, the houses, the looks and the ways to pay', async () => {
    const site = await guest.send('GET', '/bootstrap?locale=ps');
    expect(site).toMatchObject({ tenant: { slug: 'bala-hissar' }, locale: 'ps' });
    expect(site.theme.tokens.length).toBeGreaterThan(5);
    const [house] = site.properties;
    expect(house.roomTypes.length).toBeGreaterThan(0);
    expect(house.rails).toEqual(expect.arrayContaining(['card', 'mobile_money', 'cash_pending']));
    expect(guest.cookie).toMatch(/^tnt_session=tnt_[0-9A-Z]{26}\./);
  });

  test('TB-19, TB-24: the session remembers language and consent, and a draft survives a reload', async () => {
    const other = await bookingGuest(server.url, 'bala-hissar');
    const consent = { telemetry: true, functional: true };
    await other.send('POST', '/session/preferences', { locale: 'fa-AF', consent });
    const draft = await other.draft(FAR);
    const site = await other.send('GET', '/bootstrap');
    expect(site).toMatchObject({ locale: 'fa-AF', session: { consent, activeDraftId: draft.draftId } });
    expect((await other.send('GET', '/drafts/current')).draft).toEqual(draft);
    await other.send('POST', `/drafts/${draft.draftId}/confirm`, confirmation('cash_pending'));
    await other.once(draft.draftId, 'confirming');
    await waitUntil('there is nothing to go on with', async () => {
      const current = await other.send('GET', '/drafts/current');
      return current.draft === null;
    });
  });

  test('TB-60: cash on arrival: a draft becomes one confirmed booking with a code', async () => {
    const draft = await guest.draft(FAR);
    expect(draft).toMatchObject({ state: 'open', reservationId: null });
    const made = await guest.send('POST', `/drafts/${draft.draftId}/confirm`, confirmation('cash_pending'));
    expect(made.payment).toMatchObject({ rail: 'cash_pending', redirectUrl: null, dueNow: { amount: '0' } });
    const outcome = await guest.once(draft.draftId, 'confirming');
    expect(outcome).toMatchObject({ state: 'confirmed', code: made.code, nextPollMs: null });
    const seen = await guest.send('GET', `/confirmations/${made.reservationId}`);
    expect(seen).toMatchObject({
      code: made.code,
      status: 'confirmed_cash_pending',
      guestName: person.name,
      total: draft.total,
      outstanding: draft.total.gross,
      canCancel: true,
    });
    expect(JSON.stringify(seen)).not.toContain(person.phone);
  });

  test('SAGA-17, EVT-84: a card is paid on the provider’s page; the draft is converted, once', async () => {
    const draft = await guest.draft(FAR + 3);
    await guest.send('POST', `/drafts/${draft.draftId}/confirm`, confirmation('card'));
    const paying = await guest.once(draft.draftId, 'confirming');
    expect(paying).toMatchObject({ state: 'paying', failure: null });
    await onThePage(paying.redirectUrl, 'pay');
    const outcome = await guest.once(draft.draftId, 'paying', 'confirming');
    expect(outcome).toMatchObject({ state: 'confirmed', failure: null });
    const snapshot = await waitUntil('the draft is on record', () => snapshotOf(draft.draftId));
    expect(snapshot).toMatchObject({ final_state: 'converted', payment_method: 'card' });
    const told = await waitUntil('it was said', () => saidOf(draft.draftId));
    expect(told.map(({ subject }) => subject)).toEqual([
      'melmastoon.bff_tenant_booking.booking_draft.converted.v1',
    ]);
  });

  test('SAGA-25: a declined card is a failure the guest can read; another draft may be booked', async () => {
    const draft = await guest.draft(FAR + 3);
    await guest.send('POST', `/drafts/${draft.draftId}/confirm`, confirmation('card'));
    const { redirectUrl } = await guest.once(draft.draftId, 'confirming');
    await onThePage(redirectUrl, 'decline');
    const outcome = await guest.once(draft.draftId, 'paying', 'confirming');
    expect(outcome).toMatchObject({ state: 'failed', failure: 'PAYMENT_DECLINED', nextPollMs: null });
    const snapshot = await waitUntil('the draft is on record', () => snapshotOf(draft.draftId));
    expect(snapshot).toMatchObject({ final_state: 'failed' });
    expect((await guest.draft(FAR + 3)).state).toBe('open');
  });

  test('safety-15: a double click and a second tab book once', async () => {
    const draft = await guest.draft(FAR + 6);
    const path = `/drafts/${draft.draftId}/confirm`;
    const key = randomUUID();
    const clicks = await Promise.all([
      ...[1, 2, 3].map(() => guest.try('POST', path, confirmation('cash_pending'), key)),
      ...[1, 2, 3].map(() => guest.try('POST', path, confirmation('card'))),
    ]);
    const made = clicks.filter(({ status }) => status === 200);
    expect(made.length).toBeGreaterThan(0);
    expect(new Set(made.map(({ body }) => body.reservationId)).size).toBe(1);
    for (const { status, body } of clicks) if (status !== 200) expect(status, body.code).toBe(409);
    const again = await guest.send('POST', path, confirmation('cash_pending'));
    expect(again.reservationId).toBe(made[0]?.body.reservationId);
    expect(await bookingsOf(draft.draftId)).toHaveLength(1);
  });

  test('a reply that was lost after the rooms were held: the same click again finds the same booking', async () => {
    const draft = await guest.draft(FAR + 6);
    const [path, key] = [`/drafts/${draft.draftId}/confirm`, randomUUID()];
    armFailpoint('http.before-complete', () => {
      throw new Error('the process lost its database here');
    });
    const lost = await guest.try('POST', path, confirmation('cash_pending'), key);
    disarmFailpoints();
    expect(lost.status).toBe(500);
    const [held] = await bookingsOf(draft.draftId);
    expect(held).toBeDefined();
    expect((await guest.once(draft.draftId, 'confirming')).state).toBe('confirmed');
    const again = await guest.send('POST', path, confirmation('cash_pending'), key);
    expect(again.state).toBe('confirmed');
    expect(await bookingsOf(draft.draftId)).toHaveLength(1);
    expect((await guest.send('GET', `/confirmations/${again.reservationId}`)).code).toBe(again.code);
  });

  test('safety-12, safety-14: a price in a body is refused, and one that the page made up does not count', async () => {
    const { propertyId, arrival, departure, roomTypeId, ratePlanId, total } = await guest.offer(FAR);
    const choice = { propertyId, arrival, departure, roomTypeId, ratePlanId, adults: 1 };
    for (const extra of [{ total: { amount: '1', currency: 'AFN' } }, { price: 1 }, { tenantId: 'x' }])
      expect((await guest.try('POST', '/drafts', { ...choice, ...extra })).status).toBe(400);
    const draft = await guest.send('POST', '/drafts', choice);
    expect(draft.total).toEqual(total);
    const path = `/drafts/${draft.draftId}/confirm`;
    const cheap = { ...confirmation('cash_pending'), seenTotal: { ...total.gross, amount: '1' } };
    expect(await guest.try('POST', path, cheap)).toMatchObject({
      status: 409,
      body: { code: 'PRICE_CHANGED' },
    });
    expect(await bookingsOf(draft.draftId)).toEqual([]);
    expect((await guest.try('POST', path, { ...cheap, rail: 'cash' })).status).toBe(400);
  });

  test('X-144: a draft that is over, and a price that is over, are refused by name', async () => {
    const given = await guest.draft(FAR);
    expect(await guest.try('DELETE', `/drafts/${given.draftId}`)).toMatchObject({ status: 204 });
    expect((await guest.send('GET', `/drafts/${given.draftId}`)).state).toBe('expired');
    expect((await guest.send('GET', '/drafts/current')).draft).toBeNull();
    expect(
      await guest.try('POST', `/drafts/${given.draftId}/confirm`, confirmation('cash_pending')),
    ).toMatchObject({ status: 410, body: { code: 'DRAFT_EXPIRED' } });

    const draft = await guest.draft(FAR);
    await server.database.admin(
      `update pricing.quotes set expires_at = now() - interval '1 minute', quoted_at = now() - interval '1 hour'
       where booking_draft_id is not null`,
    );
    expect(
      await guest.try('POST', `/drafts/${draft.draftId}/confirm`, confirmation('cash_pending')),
    ).toMatchObject({ status: 409, body: { code: 'QUOTE_EXPIRED' } });
    expect(await bookingsOf(draft.draftId)).toEqual([]);
    expect(await snapshotOf(draft.draftId)).toMatchObject({ final_state: 'failed' });
    expect((await guest.once(draft.draftId, 'confirming')).failure).toBe('QUOTE_EXPIRED');
  });

  test('a stay the house does not sell is refused with the reason and its figure', async () => {
    const { propertyId, roomTypeId, ratePlanId } = await guest.offer(FAR);
    const past = { arrival: '2026-01-01', departure: '2026-01-02' };
    const choice = { propertyId, roomTypeId, ratePlanId, adults: 1, ...past };
    const refused = await guest.try('POST', '/drafts', choice);
    expect(refused).toMatchObject({ status: 409, body: { code: 'RESTRICTION' } });
    expect(refused.body.issues.map(({ code }: Body) => code)).toContain('arrival_passed');
    const query = `propertyId=${propertyId}&arrival=2026-01-01&departure=2026-01-02&adults=1`;
    const { offers, refused: reasons } = await guest.send('GET', `/availability?${query}`);
    expect(offers).toEqual([]);
    expect(reasons.length).toBeGreaterThan(0);
  });

  test('the date grid has a cell for every day, with a price where a room is free', async () => {
    const { propertyId, arrival, departure, total } = await guest.offer(FAR, 1);
    const grid = await guest.send(
      'GET',
      `/calendar?propertyId=${propertyId}&from=${arrival}&to=${departure}&adults=1`,
    );
    expect(grid.days).toHaveLength(1);
    expect(grid.days[0]).toMatchObject({ date: arrival, state: 'open' });
    expect(BigInt(grid.days[0].from.amount)).toBeLessThanOrEqual(BigInt(total.gross.amount));
  });

  test('manage my booking: by code and phone, on another phone; dates and cancellation by policy', async () => {
    const draft = await guest.draft(FAR + 9);
    const { code, reservationId } = await guest.send(
      'POST',
      `/drafts/${draft.draftId}/confirm`,
      confirmation('cash_pending'),
    );
    await guest.once(draft.draftId, 'confirming');
    const other = await bookingGuest(server.url, 'bala-hissar');
    const wrong = await other.try('POST', '/manage/open', { code, phone: '+93700000000' });
    const unknown = await other.try('POST', '/manage/open', { code: 'ZZZZZZZZ', phone: person.phone });
    expect([wrong.status, unknown.status]).toEqual([404, 404]);
    expect(withoutCorrelation(wrong.body)).toEqual(withoutCorrelation(unknown.body));
    const asTyped = `${code.slice(0, 4).toLowerCase()} ${code.slice(4)}`;
    const opened = await other.send('POST', '/manage/open', { code: asTyped, phone: person.phone });
    expect(opened.reservationId).toBe(reservationId);

    const [arrival, departure] = [draft.stay.arrival, addDays(draft.stay.departure, 1)];
    const at = `/manage/${reservationId}`;
    const preview = await other.send('POST', `${at}/dates`, { arrival, departure, preview: true });
    expect(preview).toMatchObject({ preview: true, available: true, refusals: [] });
    expect(BigInt(preview.newTotal.amount)).toBeGreaterThan(BigInt(preview.oldTotal.amount));
    expect((await other.send('GET', at)).stay).toEqual(draft.stay);
    await other.send('POST', `${at}/dates`, { arrival, departure });
    const moved = await waitUntil('the dates are agreed', async () => {
      const now = await other.send('GET', at);
      return now.wantedStay === null ? now : undefined;
    });
    expect(moved).toMatchObject({ stay: { arrival, departure }, total: { gross: preview.newTotal } });

    const costs = await other.send('POST', `${at}/cancel`, { preview: true });
    expect(costs.booking.status).toBe('confirmed_cash_pending');
    expect(await other.send('POST', `${at}/cancel`, {})).toMatchObject({
      fee: costs.fee,
      booking: { status: 'cancelled', canCancel: false },
    });
    expect((await other.try('POST', `${at}/cancel`, {})).status).toBe(409);
    expect((await guest.send('GET', `/confirmations/${reservationId}`)).status).toBe('cancelled');
  });

  test('TB-57, X-146, safety-23: a handoff makes one draft, whoever sends it how often', async () => {
    const { propertyId, arrival, departure, roomTypeId, ratePlanId, total } = await guest.offer(FAR);
    const tenantId = await tenantOf('bala-hissar');
    const now = Date.now();
    const handoff = {
      audience: 'tenant-booking' as const,
      handoffId: newId('bha'),
      tenantId,
      consumerSessionId: 'consumer-session-1',
      ...{ propertyId, arrival, departure, roomTypeId, ratePlanId, adults: 1, children: 0, rooms: 1 },
      mintedAt: new Date(now).toISOString(),
      expiresAt: new Date(now + 60_000).toISOString(),
    };
    const key = { keyId: 'h1', key: handoffKey(server.secret) };
    const signed = signHandoff(handoff, key);
    const arrive = async (who: BookingGuest) => (await who.send('POST', '/handoff', signed)).ticket as string;
    const take = (who: BookingGuest, ticket: string) => who.try('POST', '/handoff/drafts', { ticket });
    const tries = await Promise.all(Array.from({ length: 8 }, async () => take(guest, await arrive(guest))));
    const made = tries.filter(({ status }) => status === 201).map(({ body }) => body);
    for (const { status, body } of tries) if (status !== 201) expect(body.code).toBe('HANDOFF_USED');
    expect(made[0]).toMatchObject({ state: 'open', total });
    expect(new Set(made.map(({ draftId }) => draftId)).size).toBe(1);
    // Who has the draft finds it again; for everybody else the link is used up.
    expect((await take(guest, await arrive(guest))).body.draftId).toBe(made[0].draftId);
    const neighbour = await bookingGuest(server.url, 'bala-hissar');
    const ticket = await arrive(neighbour);
    expect(await take(neighbour, ticket)).toMatchObject({ status: 409, body: { code: 'HANDOFF_USED' } });

    const stranger = await bookingGuest(server.url, 'gazargah');
    for (const [who, wrong] of [
      [guest, `${ticket.slice(0, -1)}${ticket.endsWith('A') ? 'B' : 'A'}`],
      [stranger, ticket],
    ] as const)
      expect(await take(who, wrong)).toMatchObject({ status: 403, body: { code: 'HANDOFF_REFUSED' } });
    const [first, ...others] = signed.signature;
    const forged = [
      [guest, { ...signed, signature: [first === 'A' ? 'B' : 'A', ...others].join('') }],
      [guest, { ...signed, payload: signed.payload.replace('"adults":1', '"adults":2') }],
      [guest, { ...signed, keyId: 'h2' }],
      [guest, signHandoff({ ...handoff, handoffId: newId('bha') }, { ...key, key: 'another' })],
      [stranger, signHandoff({ ...handoff, handoffId: newId('bha') }, key)],
    ] as const;
    for (const [who, body] of forged) expect((await who.try('POST', '/handoff', body)).status).toBe(403);
    const old = {
      ...handoff,
      handoffId: newId('bha'),
      mintedAt: new Date(now - 120_000).toISOString(),
      expiresAt: new Date(now - 60_000).toISOString(),
    };
    expect((await guest.try('POST', '/handoff', signHandoff(old, key))).status).toBe(410);
    const long = { ...handoff, expiresAt: new Date(now + 3_600_000).toISOString() };
    expect((await guest.try('POST', '/handoff', signHandoff(long, key))).status).toBe(403);
  });

  test('safety-10: another session and another tenant with the right ids find nothing', async () => {
    const draft = await guest.draft(FAR + 12);
    const path = `/drafts/${draft.draftId}`;
    const made = await guest.send('POST', `${path}/confirm`, confirmation('cash_pending'));
    await guest.once(draft.draftId, 'confirming');
    const rsv = made.reservationId;
    await guest.send('GET', `/confirmations/${rsv}`); // it is in the cache now
    const neighbour = await bookingGuest(server.url, 'bala-hissar');
    const stranger = await bookingGuest(server.url, 'gazargah');
    const reaching: [string, string, unknown?][] = [
      ['GET', path],
      ['DELETE', path],
      ['GET', `${path}/outcome`],
      ['POST', `${path}/confirm`, confirmation('cash_pending')],
      ['GET', `/confirmations/${rsv}`],
      ['GET', `/manage/${rsv}`],
      ['POST', `/manage/${rsv}/cancel`, {}],
      ['POST', `/manage/${rsv}/dates`, { arrival: '2027-01-01', departure: '2027-01-02' }],
    ];
    const none = { draft: newId('bdr'), booking: newId('rsv') };
    for (const who of [neighbour, stranger]) {
      for (const [method, to, body] of reaching) {
        const answer = await who.try(method, to, body);
        const elsewhere = to.replace(draft.draftId, none.draft).replace(rsv, none.booking);
        const nothing = await who.try(method, elsewhere, body);
        expect(answer.status, `${method} ${to}`).toBe(404);
        expect(withoutCorrelation(answer.body)).toEqual(withoutCorrelation(nothing.body));
      }
    }
    expect(
      (await stranger.try('POST', '/manage/open', { code: made.code, phone: person.phone })).status,
    ).toBe(404);
    const here = `propertyId=${draft.propertyId}&arrival=${draft.stay.arrival}&departure=${draft.stay.departure}`;
    expect((await guest.try('GET', `/availability?${here}`)).status).toBe(200); // and so it is cached
    expect((await stranger.try('GET', `/availability?${here}`)).status).toBe(404);
    const { cookie } = stranger;
    stranger.cookie = guest.cookie; // a session is good in its own tenant only
    expect((await stranger.try('GET', path)).status).toBe(401);
    stranger.cookie = cookie;
    expect((await guest.send('GET', `/confirmations/${rsv}`)).status).toBe('confirmed_cash_pending');
  });

  test('safety-16, TB-58: neither phone nor e-mail of a guest is kept by the booking site', async () => {
    const tables = [
      'draft_bookings',
      'booking_draft_snapshots',
      'idempotency',
      'outbox',
      'handoff_arrival_log',
    ];
    for (const table of tables) {
      const found = await server.database.admin<{ text: string }>(
        `select t::text as text from bff_tenant_booking.${table} t`,
      );
      for (const { text } of found) {
        expect(text).not.toContain(person.phone.slice(1));
        expect(text).not.toContain(person.email);
      }
    }
  });

  test('bad input is a clear refusal and changes nothing', async () => {
    const { propertyId, roomTypeId, ratePlanId } = await guest.offer(FAR);
    const choice = { propertyId, roomTypeId, ratePlanId, arrival: '2027-05-01', departure: '2027-05-03' };
    for (const wrong of [
      { adults: 0 },
      { adults: 1, rooms: 2 },
      { adults: 1, departure: '2027-05-01' },
      { adults: 1, children: -1 },
      { adults: 1, propertyId: 'pro_1' },
      { adults: 1, rooms: 1e21 },
    ])
      expect((await guest.try('POST', '/drafts', { ...choice, ...wrong })).status).toBe(400);
    expect(
      (await guest.try('POST', '/drafts', { ...choice, adults: 1, roomTypeId: newId('rty') })).status,
    ).toBe(404);
    const cookie = guest.cookie as string;
    for (const bad of [
      undefined,
      'tnt_session=tnt_01J8ZQ4T3Y5V6W7X8Y9Z0A1B3Y',
      `${cookie}x`,
      cookie.slice(0, -1),
    ]) {
      guest.cookie = bad;
      expect((await guest.try('POST', '/drafts', { ...choice, adults: 1 })).status).toBe(401);
    }
    guest.cookie = cookie;
  });

  test('CACHE-21: a rule that the house has just made is seen long before the cached answer ends', async () => {
    const { propertyId, arrival, departure, roomTypeId, ratePlanId } = await guest.offer(FAR + 30);
    const desk = await atTheDesk('bala-hissar');
    await desk.send('PUT', `/rate-plans/${ratePlanId}/calendar`, {
      ...{ from: arrival, until: departure, roomTypeIds: [roomTypeId], restrictions: { minNights: 5 } },
    });
    const query = `propertyId=${propertyId}&arrival=${arrival}&departure=${departure}&adults=1`;
    // 20 s at most, and what is cached would live for 30 s
    const refusal = await waitUntil('the rule is seen', async () => {
      const { refused } = await guest.send('GET', `/availability?${query}`);
      return refused.find((one: Body) => one.roomTypeId === roomTypeId && one.ratePlanId === ratePlanId);
    });
    expect(refusal.reasons).toContainEqual({ reason: 'min_stay', date: arrival, limit: 5 });
    const choice = { propertyId, arrival, departure, roomTypeId, ratePlanId, adults: 1 };
    const draft = await guest.try('POST', '/drafts', choice);
    expect(draft).toMatchObject({ status: 409, body: { code: 'RESTRICTION' } });
    expect(draft.body.issues).toContainEqual({ path: arrival, code: 'min_stay', message: '5' });
  });

  test('rooms that went while the guest typed: nothing is booked, and the failure is on record', async () => {
    const draft = await guest.draft(FAR + 40);
    const { roomTypeId, stay, draftId } = draft;
    const nights = { from: stay.arrival, until: stay.departure };
    const desk = await atTheDesk('bala-hissar');
    await desk.send('POST', '/stop-sells', { roomTypeId, nights, reason: 'owner_use' });
    const gone = await guest.try('POST', `/drafts/${draftId}/confirm`, confirmation('cash_pending'));
    expect(gone).toMatchObject({ status: 409, body: { code: 'ROOMS_GONE' } });
    expect(await bookingsOf(draftId)).toEqual([]);
    expect(await snapshotOf(draftId)).toMatchObject({ final_state: 'failed' });
    expect((await guest.send('GET', `/drafts/${draftId}`)).state).toBe('failed');
    expect(await guest.send('GET', `/drafts/${draftId}/outcome`)).toMatchObject({
      state: 'failed',
      failure: 'ROOMS_GONE',
    });
  });

  test('a suspended group is closed to visitors and to guests with a session, at once', async () => {
    const visitor = await bookingGuest(server.url, 'gazargah');
    const platform = await atTheDesk('platform');
    const path = `/platform/tenants/${await tenantOf('gazargah')}/suspend`;
    await platform.send('POST', path, { reason: 'billing_failure' });
    const closed = { status: 403, body: { code: 'TENANT_NOT_ACTIVE' } };
    // the slug would be remembered for an hour
    const seen = await waitUntil('the suspension is seen', async () => {
      const reply = await visitor.try('GET', '/bootstrap');
      return reply.status === 200 ? undefined : reply;
    });
    expect(seen).toMatchObject(closed);
    expect(await visitor.try('GET', '/drafts/current')).toMatchObject(closed);
    expect((await guest.try('GET', '/drafts/current')).status).toBe(200);
  });

  /** Somebody who may do everything there. */
  const atTheDesk = (at: string) => {
    const account = server.demo.find(({ slug, role }) => slug === at && /owner|admin/.test(role));
    return deskClient(server.url, account as NonNullable<typeof account>);
  };
  const saidOf = async (draftId: string) => {
    const sql = `select topic as subject from brokers.log where source = 'bff_tenant_booking' and ordering_key like '%' || $1`;
    const found = await server.database.admin<{ subject: string }>(sql, [draftId]);
    return found.length > 0 ? found : undefined;
  };
  const tenantOf = async (slug: string) => {
    const sql = 'select tenant_id::text as id from tenant.slugs where slug = $1';
    return parseTenantId((await server.database.admin<{ id: string }>(sql, [slug]))[0]?.id);
  };
});

function withoutCorrelation({ correlationId: _, ...body }: Body): Body {
  return body;
}
