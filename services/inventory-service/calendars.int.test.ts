import { newId, type TenantId } from '@ghasi/domain-primitives/ids';
import { parseZone } from '@ghasi/domain-primitives/zone';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { readCalendar } from './calendar/read-calendar.ts';
import { type Caller, type House, type Inn, openHouse } from './fixtures/house.ts';
import { Portal, portalCalendar } from './fixtures/portal.ts';

let house: House;
let portal: Portal;
beforeAll(async () => {
  [house, portal] = [await openHouse(), await Portal.open()];
});
afterAll(async () => {
  await portal.close();
  await house.close();
});
let inn: Inn;
let manager: Caller;
beforeEach(async () => {
  inn = await house.inn(2, { zone: 'Asia/Kabul', from: '2027-04-25' });
  manager = { tenantId: inn.tenantId, roles: ['manager'] };
});

type Body = Record<string, unknown> & { id: string; path: string };
const ok = async (method: string, path: string, body?: unknown) => {
  const seen = await house.send(manager, method, path, body);
  expect(seen.status, JSON.stringify(seen.body)).toBeLessThan(300);
  return seen.body as unknown as Body;
};
const addFeed = (more: object = {}) =>
  ok('POST', '/calendar-feeds', { roomId: inn.rooms[0], name: 'Portal', url: portal.url, ...more });
const rooms = async (from = '2027-05-10', until = '2027-05-12') =>
  (await house.nights(inn, from, until)).map(night => night.rooms);
const may = (uid: string, from: number, until: number, summary = 'Reserved') => ({
  ...{ uid, summary },
  ...{ from: `2027-05-${from}`, until: `2027-05-${until}` },
});
/** Everything the service has written of a tenant, but for keys of requests. */
const census = async (tenantId: TenantId) =>
  house.database.admin(
    `select 'feed' as kind, f::text as row from inventory.feeds f where tenant_id = $1
     union all select 'block', b::text from inventory.blocks b where tenant_id = $1
     union all select 'use', u::text from inventory.room_uses u where tenant_id = $1
     union all select 'night', n::text from inventory.nights n where tenant_id = $1 order by 1, 2`,
    [tenantId],
  );

describe('R13: feeds over HTTP', () => {
  test('a feed is added, listed without its secret, imported now, paused, changed and removed', async () => {
    portal.tells(may('a', 10, 12));
    const added = await addFeed();
    expect(added).toMatchObject({ status: 'active', importedAt: null, origin: new URL(portal.url).origin });
    const imported = await ok('POST', `/calendar-feeds/${added.id}/import`);
    expect(imported).toMatchObject({ outcome: 'imported', error: null, counts: { added: 1, booked: 1 } });
    expect(await rooms()).toEqual([1, 1]);
    expect(await ok('POST', `/calendar-feeds/${added.id}/import`)).toMatchObject({
      outcome: 'unchanged',
      counts: null,
    });
    const listed = await ok('GET', `/calendar-feeds?propertyId=${inn.propertyId}`);
    expect(listed).toMatchObject({ feeds: [{ id: added.id, lastError: null, failures: 0 }] });
    expect(JSON.stringify([added, imported, listed])).not.toContain('secret');
    const path = `/calendar-feeds/${added.id}`;
    expect(await ok('PATCH', path, { paused: true })).toMatchObject({ status: 'paused', nextFetchAt: null });
    expect(await ok('PATCH', path, { paused: false, name: 'Other' })).toMatchObject({
      status: 'active',
      name: 'Other',
    });
    await house.send(manager, 'DELETE', path);
    expect(await rooms()).toEqual([2, 2]);
    expect(await ok('GET', `/calendar-feeds?propertyId=${inn.propertyId}`)).toEqual({ feeds: [] });
    expect(await house.send(manager, 'DELETE', path)).toMatchObject({ status: 404 });
  });

  test('a portal that does not answer is told as such, and written down', async () => {
    const { id } = await addFeed();
    portal.answer = (_, response) => response.writeHead(404).end();
    const seen = await ok('POST', `/calendar-feeds/${id}/import`);
    expect(seen).toMatchObject({
      ...{ outcome: 'failed', error: 'it answers with status 404', counts: null },
      feed: { lastError: 'it answers with status 404', failures: 1 },
    });
  });

  test('a calendar can be uploaded, ten times with one key or another, and makes its blocks once', async () => {
    const { id } = await addFeed({ url: null, roomId: undefined, roomTypeId: inn.roomTypeId });
    const body = {
      calendar: portalCalendar([may('a', 10, 12), may('b', 11, 12), may('w', 16, 19, 'CLOSED')]),
    };
    for (let n = 0; n < 10; n += 1) {
      const key = `upload-${n % 5}`;
      const seen = await house.send(manager, 'POST', `/calendar-feeds/${id}/upload`, body, {
        'idempotency-key': key,
      });
      expect(seen).toMatchObject({ status: 200, body: { outcome: 'imported', counts: { ignored: 1 } } });
    }
    expect(await rooms()).toEqual([1, 0]);
    expect(await house.send(manager, 'POST', `/calendar-feeds/${id}/import`)).toMatchObject({
      status: 409,
      body: { code: 'FEED_WITHOUT_ADDRESS' },
    });
  });

  test.each([
    ['no calendar at all', 'hello'],
    ['half a calendar', portalCalendar([may('a', 10, 12)]).slice(0, -20)],
    ['one bad event among good ones', portalCalendar([may('a', 10, 12), may('b', 99, 12)])],
    ['a day that ends before it begins', portalCalendar([may('a', 12, 10)])],
    ['an event that repeats', portalCalendar([{ ...may('a', 10, 12), more: ['RRULE:FREQ=DAILY'] }])],
    ['a control character', portalCalendar([may('a\u0001', 10, 12)])],
    ['half a letter', portalCalendar([may('a', 10, 12)]).replace('Reserved', '\ud800')],
  ])('R13: %s is refused with a reason and changes nothing', async (_, calendar) => {
    const { id } = await addFeed({ url: null });
    await ok('POST', `/calendar-feeds/${id}/upload`, { calendar: portalCalendar([may('known', 20, 22)]) });
    const before = await census(inn.tenantId);
    const seen = await house.send(manager, 'POST', `/calendar-feeds/${id}/upload`, { calendar });
    expect(seen.status === 422 ? seen.body.code : seen.status).toSatisfy(
      what => what === 'FEED_UNREADABLE' || what === 400,
    );
    expect(await census(inn.tenantId)).toEqual(before);
  });

  test.each([
    ['ftp://portal.example/a.ics', 400, 'VALIDATION_FAILED'],
    ['file:///etc/passwd', 400, 'VALIDATION_FAILED'],
    ['https://user:secret@portal.example/a.ics', 422, 'FEED_ADDRESS_REFUSED'],
  ])('safety-24: %s is no address of a calendar', async (url, status, code) => {
    const body = { roomId: inn.rooms[0], name: 'Portal', url };
    expect(await house.send(manager, 'POST', '/calendar-feeds', body)).toMatchObject({
      status,
      body: { code },
    });
  });

  test('a house whose zone is not known yet, a room that is not there and an eleventh feed are refused', async () => {
    const unknown = await house.inn(1);
    const strange = { tenantId: unknown.tenantId, roles: ['owner'] };
    const body = { roomId: unknown.rooms[0], name: 'Portal' };
    expect((await house.send(strange, 'POST', '/calendar-feeds', body)).body.code).toBe('ZONE_UNKNOWN');
    expect((await house.send(manager, 'POST', '/calendar-feeds', body)).body.code).toBe('NOT_FOUND');
    for (let n = 0; n < 10; n += 1) await addFeed();
    const more = { roomId: inn.rooms[0], name: 'Portal' };
    expect((await house.send(manager, 'POST', '/calendar-feeds', more)).body.code).toBe('TOO_MANY_FEEDS');
  });

  test('a stranger cannot touch a feed, nor publish a calendar around one', async () => {
    const { id } = await addFeed();
    const stranger = { tenantId: (await house.inn(1)).tenantId, roles: ['owner'] };
    const paths = [
      ['DELETE', `/calendar-feeds/${id}`, undefined],
      ['PATCH', `/calendar-feeds/${id}`, { paused: true }],
      ['POST', `/calendar-feeds/${id}/import`, undefined],
      ['POST', `/calendar-feeds/${id}/upload`, { calendar: 'x' }],
      ['POST', '/published-calendars', { roomId: inn.rooms[0] }],
    ] as const;
    for (const [method, path, body] of paths)
      expect(await house.send(stranger, method, path, body)).toMatchObject({ status: 404 });
    const around = { roomId: inn.rooms[0], exceptFeedId: newId('cfd') };
    expect(await house.send(manager, 'POST', '/published-calendars', around)).toMatchObject({ status: 404 });
  });
});

describe('our own calendars', () => {
  const read = async (path: string) => {
    const reply = await house.host.fastify.inject(path);
    if (reply.statusCode !== 200) return { status: reply.statusCode, text: reply.body, busy: [] };
    expect(reply.headers['content-type']).toBe('text/calendar; charset=utf-8');
    const events = readCalendar(reply.rawPayload, parseZone('Asia/Kabul'));
    const busy = events
      .filter(({ from }) => from >= '2027-05-01' && from < '2027-06-01')
      .map(({ from, until }) => `${from.slice(-2)}-${until.slice(-2)}`);
    return { status: 200, text: reply.body, busy };
  };
  const publish = async (body: object) => (await ok('POST', '/published-calendars', body)).path;
  const book = async (from: number, until: number, more = {}) => {
    const booking = inn.book(`2027-05-${from}`, `2027-05-${until}`, more);
    await house.hear(inn.tenantId, booking.held());
    return booking;
  };

  test('R13: a room is busy while somebody has it, or while no room of its type is left; nothing says who or why', async () => {
    const [first, second] = inn.rooms;
    const [ofRoom, ofType] = [
      await publish({ roomId: first }),
      await publish({ roomTypeId: inn.roomTypeId }),
    ];
    expect((await read(ofRoom)).busy).toEqual([]);
    const booking = await book(10, 12, { roomId: first });
    await book(12, 13, { roomId: first });
    await ok('POST', '/room-blocks', {
      ...{ roomId: second, kind: 'out_of_order', reason: 'paint' },
      nights: { from: '2027-05-12', until: '2027-05-14' },
    });
    await book(20, 22);
    await book(21, 22);
    await ok('POST', '/stop-sells', {
      ...{ roomTypeId: inn.roomTypeId, reason: 'owner_use' },
      nights: { from: '2027-05-25', until: '2027-05-26' },
    });
    const seen = await read(ofRoom);
    expect(seen.busy).toEqual(['10-13', '21-22', '25-26']);
    expect((await read(ofType)).busy).toEqual(['12-13', '21-22', '25-26']);
    for (const secret of [booking.reservationId, inn.tenantId, 'paint', 'owner', String(first)])
      expect(seen.text).not.toContain(secret);
    expect(seen.text).not.toMatch(/\b101\b/); // its number; times and ids may hold these digits
  });

  test('what a portal told us is not told back to it, and to the others it is', async () => {
    const { id } = await addFeed({ url: null });
    const [roomId] = inn.rooms;
    const calendar = portalCalendar([may('a', 10, 12)]);
    await ok('POST', `/calendar-feeds/${id}/upload`, { calendar });
    const [toIt, toOthers] = [await publish({ roomId, exceptFeedId: id }), await publish({ roomId })];
    expect([(await read(toIt)).busy, (await read(toOthers)).busy]).toEqual([[], ['10-12']]);
    await book(10, 11); // into the other room: the one that is left is the portal's own
    expect((await read(toIt)).busy).toEqual([]);
    await house.hear(inn.tenantId, inn.book('2027-05-14', '2027-05-15', { roomId: roomId ?? null }).held());
    expect((await read(toIt)).busy).toEqual(['14-15']);
  });

  test('safety: only the secret opens it, it is told once, kept as a hash, and closed when it is revoked', async () => {
    const made = await ok('POST', '/published-calendars', { roomId: inn.rooms[0] });
    const token = made.path.split('/').at(-2) ?? '';
    const stored = await house.database.admin<{ row: string }>(
      `select c::text as row from inventory.calendars c where tenant_id = $1
       union all select convert_from(coalesce(body, ''), 'UTF8') from inventory.idempotency where tenant_id = $1`,
      [inn.tenantId],
    );
    expect(JSON.stringify(stored)).not.toContain(token);
    const listed = await ok('GET', `/published-calendars?propertyId=${inn.propertyId}`);
    expect(listed).toMatchObject({ calendars: [{ id: made.id }] });
    expect(JSON.stringify(listed)).not.toContain(token);
    const other = token.replace(/^./, first => (first === 'A' ? 'B' : 'A'));
    expect((await read(made.path.replace(token, other))).status).toBe(404);
    expect((await read(made.path.replace(token, 'short'))).status).toBe(400);
    expect((await read(made.path)).status).toBe(200);
    expect(await house.send(manager, 'DELETE', `/published-calendars/${made.id}`)).toMatchObject({
      status: 204,
    });
    expect((await read(made.path)).status).toBe(404);
    const stranger = { tenantId: (await house.inn(1)).tenantId, roles: ['owner'] };
    expect(await house.send(stranger, 'DELETE', `/published-calendars/${made.id}`)).toMatchObject({
      status: 404,
    });
  });
});
