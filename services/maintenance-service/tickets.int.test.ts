import type { Id } from '@ghasi/domain-primitives/ids';
import { newId } from '@ghasi/domain-primitives/ids';
import { somebody } from '@ghasi/http/fixtures/trusting-host';
import { RoomArchived } from '@melmastoon/property-service/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { broken, type House, type Inn, inDays, openHouse, today } from './fixtures/house.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

const at = (inn: Inn, role = 'maintenance') => ({ tenantId: inn.tenantId, roles: [role] });
const open = (inn: Inn, more: object = {}, role = 'maintenance') =>
  house.send(at(inn, role), 'POST', '/maintenance/tickets', broken(inn, more));
const step = (inn: Inn, id: string, path: string, body: object = {}) =>
  house.send(at(inn), 'POST', `/maintenance/tickets/${id}/${path}`, body);
const afn = (amount: number) => ({ amount: String(amount), currency: 'AFN' });
const out = (from = today, until = inDays(2), kind = 'out_of_order') => ({ kind, from, until });
const told = async ({ tenantId }: Inn) =>
  (await house.published(tenantId)).map(({ topic, payload, aggregateVersion }) => ({
    ...{ verb: topic.split('.').at(-2), version: aggregateVersion },
    payload: payload as Record<string, unknown>,
  }));

describe('R11: a room is taken out through inventory', () => {
  test('R11: a sold room is refused with 409 and the list of its reservations, and nothing is written', async () => {
    const inn = await house.inn(3);
    const [roomId] = inn.rooms as [Id<'rom'>];
    const [first, second] = [inn.book(inDays(1), inDays(3), roomId), inn.book(inDays(5), inDays(6), roomId)];
    await house.hear(inn.tenantId, first.held(), first.confirmed(), second.held());
    for (const kind of ['out_of_order', 'out_of_service']) {
      const refused = await open(inn, { block: out(today, inDays(9), kind) });
      expect(refused).toMatchObject({ status: 409, body: { code: 'ROOM_IN_USE' } });
      expect(refused.body.issues.map(({ path }: { path: string }) => path)).toEqual([
        first.reservationId,
        second.reservationId,
      ]);
    }
    expect(await told(inn)).toEqual([]);
    // The nights between the two stays are free (R5).
    expect((await open(inn, { block: out(inDays(3), inDays(5)) })).status).toBe(201);
  });

  test('R11: out of order needs a room of the type to spare on every night; out of service does not', async () => {
    const inn = await house.inn(2);
    const sold = [inn.book(inDays(1), inDays(2)), inn.book(inDays(1), inDays(2))];
    for (const booking of sold) await house.hear(inn.tenantId, booking.held());
    const refused = await open(inn, { block: out(today, inDays(3)) });
    expect(refused).toMatchObject({
      status: 409,
      body: { code: 'NIGHTS_SOLD', issues: [{ path: inDays(1) }] },
    });
    expect((await open(inn, { block: out(today, inDays(3), 'out_of_service') })).status).toBe(201);
  });

  test('a free room is out with its ticket, and its other tickets cannot have the same nights', async () => {
    const inn = await house.inn(2);
    const { status, body } = await open(inn, { block: out() });
    expect([status, body.status]).toEqual([201, 'open']);
    expect(await told(inn)).toMatchObject([
      {
        verb: 'opened',
        version: 1,
        payload: {
          ...{ ticketId: body.id, block: 'out_of_order', reportedBy: somebody },
          blockedDays: { from: today, until: inDays(2) },
        },
      },
    ]);
    const again = await open(inn, { block: out(inDays(1), inDays(4)) });
    expect(again).toMatchObject({ status: 409, body: { code: 'ROOM_BLOCKED' } });
    expect((await step(inn, body.id, 'block', out(inDays(5), inDays(6)))).body.code).toBe('BLOCK_EXISTS');
    const more = { severity: 'urgent', title: 'Still drips', block: out(inDays(2), inDays(4)) };
    const followed = await step(inn, body.id, 'follow-up', more);
    expect(followed).toMatchObject({ status: 201, body: { follows: body.id, roomId: inn.rooms[0] } });
  });

  test('a ticket can take its room out later; then it is told as opened anew', async () => {
    const inn = await house.inn(2);
    const { body } = await open(inn);
    await step(inn, body.id, 'assign', { assigneeId: newId('usr') });
    const blocked = await step(inn, body.id, 'block', out());
    expect(blocked).toMatchObject({ status: 200, body: { block: { kind: 'out_of_order' }, version: 3 } });
    expect((await told(inn)).map(({ verb, version, payload }) => [verb, version, payload.block])).toEqual([
      ['opened', 1, 'none'],
      ['opened', 3, 'out_of_order'],
    ]);
  });

  test('eight people who take one room out at once: one ticket has it', async () => {
    const inn = await house.inn(2);
    const replies = await Promise.all(Array.from({ length: 8 }, () => open(inn, { block: out() })));
    expect(replies.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(409)]);
    expect(await told(inn)).toHaveLength(1);
  });

  test.each([
    ['nights that are over', () => out(inDays(-1), inDays(1)), 422, 'BLOCK_IN_THE_PAST'],
    ['nights without end', () => out(today, inDays(551)), 422, 'BLOCK_TOO_LONG'],
  ])('%s are refused', async (_, block, status, code) => {
    const inn = await house.inn(1);
    expect(await open(inn, { block: block() })).toMatchObject({ status, body: { code } });
  });

  test('housekeeping reports what is broken; taking a room out is for others', async () => {
    const inn = await house.inn(2);
    expect((await open(inn, {}, 'housekeeping')).status).toBe(201);
    expect((await open(inn, { block: out() }, 'housekeeping')).status).toBe(403);
  });

  test('a room that is closed for good is not repaired', async () => {
    const inn = await house.inn(1);
    const { propertyId, roomTypeId } = inn;
    const gone = { roomId: inn.rooms[0] as Id<'rom'>, propertyId, roomTypeId, number: '101' };
    const archived = RoomArchived.from(
      { ...gone, closedFrom: today, reason: 'closed' },
      { aggregateVersion: 2 },
    );
    await house.hear(inn.tenantId, archived);
    expect(await open(inn)).toMatchObject({ status: 409, body: { code: 'ROOM_CLOSED' } });
  });
});

describe('the way of a ticket', () => {
  test('assigned, started, paused, closed: each step is written down, and the costs are told', async () => {
    const inn = await house.inn(2);
    const photo = newId('fil');
    const { body } = await open(inn, {
      block: out(),
      photoIds: [photo],
      description: 'Under the sink.\nWet.',
    });
    const mechanic = newId('usr');
    const steps = [
      await step(inn, body.id, 'assign', { assigneeId: mechanic }),
      await step(inn, body.id, 'start', { note: 'on my way' }),
      await step(inn, body.id, 'hold', { note: 'waits for a valve' }),
      await step(inn, body.id, 'start'),
    ];
    expect(steps.map(one => one.body.status)).toEqual(['assigned', 'in_progress', 'on_hold', 'in_progress']);
    const parts = [{ name: 'Valve', quantity: 2, cost: afn(45_000) }];
    const repair = { resolution: 'repaired', parts, labour: { minutes: 90, cost: afn(60_000) } };
    const dollars = { ...repair, labour: { minutes: 1, cost: { amount: '1', currency: 'USD' } } };
    expect(await step(inn, body.id, 'close', dollars)).toMatchObject({
      status: 422,
      body: { code: 'CURRENCY_DIFFERS' },
    });
    const closed = await step(inn, body.id, 'close', repair);
    expect(closed.body).toMatchObject({ status: 'done', cost: afn(105_000), needsCleaning: true });
    const history = await house.send(at(inn, 'auditor'), 'GET', `/maintenance/tickets/${body.id}`);
    expect(history.body.ticket).toEqual(closed.body);
    expect(history.body.ticket.photoIds).toEqual([photo]);
    expect(history.body.steps.map(({ status, note }: Record<string, unknown>) => [status, note])).toEqual([
      ['open', null],
      ['assigned', null],
      ['in_progress', 'on my way'],
      ['on_hold', 'waits for a valve'],
      ['in_progress', null],
      ['done', null],
    ]);
    expect((await told(inn)).at(-1)).toMatchObject({
      ...{ verb: 'closed', version: 6 },
      payload: {
        ...{ resolution: 'repaired', block: 'out_of_order', needsCleaning: true, closedBy: somebody },
        ...{ parts, labour: { minutes: 90, cost: afn(60_000) }, cost: afn(105_000) },
      },
    });
    for (const path of ['start', 'hold', 'cancel'])
      expect(
        await step(inn, body.id, path, path === 'cancel' ? { resolution: 'duplicate' } : { note: 'x' }),
      ).toMatchObject({ status: 409, body: { code: 'TICKET_ENDED' } });
  });

  test('what nobody will repair is cancelled, costs nothing and needs no cleaning', async () => {
    const inn = await house.inn(2);
    const { body } = await open(inn, { block: out() });
    const cancelled = await step(inn, body.id, 'cancel', { resolution: 'duplicate', note: 'see the other' });
    expect(cancelled.body).toMatchObject({ status: 'cancelled', resolution: 'duplicate', cost: afn(0) });
    expect((await told(inn)).at(-1)?.payload).toMatchObject({ needsCleaning: false, cost: afn(0) });
    // Its nights are free for another ticket.
    expect((await open(inn, { block: out() })).status).toBe(201);
  });

  test('words are corrected on the version they were read in, and the board lists what is open', async () => {
    const inn = await house.inn(1);
    const { body } = await open(inn, { roomId: null, area: 'garden', category: 'other' });
    const path = `/maintenance/tickets/${body.id}`;
    const change = { version: 1, title: 'Fence leans', severity: 'dangerous' };
    expect((await house.send(at(inn), 'PATCH', path, change)).body).toMatchObject({
      ...{ title: 'Fence leans', severity: 'dangerous', version: 2, area: 'garden' },
    });
    const stale = await house.send(at(inn), 'PATCH', path, change);
    expect(stale).toMatchObject({ status: 409, body: { code: 'VERSION_CONFLICT' } });
    const { body: second } = await open(inn);
    const list = (query = '') =>
      house.send(at(inn), 'GET', `/maintenance/tickets?propertyId=${inn.propertyId}${query}`);
    const idsOf = async (query?: string) =>
      (await list(query)).body.tickets.map(({ id }: { id: string }) => id);
    expect(await idsOf()).toEqual([second.id, body.id]);
    expect(await idsOf(`&roomId=${inn.rooms[0]}`)).toEqual([second.id]);
    expect(await idsOf(`&before=${second.id}&limit=1`)).toEqual([body.id]);
    await step(inn, second.id, 'cancel', { resolution: 'duplicate' });
    expect([await idsOf('&status=open'), await idsOf('&status=closed')]).toEqual([[body.id], [second.id]]);
  });

  test('an area is not taken out, and a ticket is about one place', async () => {
    const inn = await house.inn(1);
    for (const odd of [{ area: 'roof' }, { roomId: null }, { roomId: null, area: 'roof', block: out() }])
      expect(await open(inn, odd)).toMatchObject({ status: 400 });
    const { body } = await open(inn, { roomId: null, area: 'roof' });
    expect(await step(inn, body.id, 'block', out())).toMatchObject({
      status: 422,
      body: { code: 'BLOCK_NEEDS_ROOM' },
    });
  });

  test('an Idempotency-Key sent twice opens one ticket', async () => {
    const inn = await house.inn(1);
    const key = crypto.randomUUID();
    const send = () =>
      house.send(at(inn), 'POST', '/maintenance/tickets', broken(inn), { 'idempotency-key': key });
    const [first, again] = [await send(), await send()];
    expect(again).toEqual(first);
    expect(await told(inn)).toHaveLength(1);
  });
});
