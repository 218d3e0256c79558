import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { idToUuid } from '@ghasi/domain-primitives/ids';
import { type TestDatabase, testDatabase } from '@ghasi/testing/database';
import { freePorts } from '@ghasi/testing/free-ports';
import { waitUntil } from '@ghasi/testing/signal';
import { cardProtocol } from '@melmastoon/payment-gateway-service/simulators/card';
import { Simulator } from '@melmastoon/payment-gateway-service/simulators/simulator';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Body, type DeskClient, deskClient, inDays } from './fixtures/desk-client.ts';
import { type ServerProcess, serve } from './fixtures/server-process.ts';
import { lastNight, onThePage, paymentPage, readyRoom, typeWithRoom } from './fixtures/stay.ts';

/** Every moment at which a saga has written what it does next and has not committed yet, in the order of this test. */
const moments = [
  ...['saga.booking.start', 'saga.booking.step', 'saga.booking.end'],
  ...['saga.check_in.start', 'saga.check_in.end', 'saga.check_out.start', 'saga.check_out.end'],
  ...['saga.date_change.start', 'saga.date_change.step', 'saga.date_change.end'],
];
/** Further than the stays of the demo reach: there is room. */
const FAR = 200;

const webhookSecret = randomBytes(24).toString('hex');
const acquirer = new Simulator(cardProtocol, { webhookSecret }); // outlives the server, as a real one would
let folder: string;
let database: TestDatabase;
let server: ServerProcess;
let desk: DeskClient;
let restarts: Promise<void>;
const ends: unknown[] = [];

beforeAll(async () => {
  database = await testDatabase();
  folder = await mkdtemp(join(tmpdir(), 'melm-providers-'));
  const MELM_PROVIDERS = join(folder, 'providers.json');
  const card = { provider: 'acquirer', baseUrl: await acquirer.listen(), apiKey: 'test', webhookSecret };
  await writeFile(MELM_PROVIDERS, JSON.stringify({ payments: { card } }), { mode: 0o600 });
  const [port] = (await freePorts(1)) as [number];
  const left: (string | undefined)[] = [...moments, undefined];
  const up = async (): Promise<string | undefined> => {
    const moment = left.shift();
    const env = { MELM_PROVIDERS, ...(moment ? { MELM_FAILPOINTS: `${moment}=crash` } : {}) };
    try {
      server = await serve({ database, demo: true, port, env });
      return moment;
    } catch (error) {
      ends.push([moment, (error as { how: unknown }).how]); // what waited for it was worked off before it could answer
      return up();
    }
  };
  let armed = await up();
  restarts = (async () => {
    while (armed !== undefined) {
      ends.push([armed, await server.exited]);
      console.info(`saga crash: killed at ${armed}`);
      armed = await up();
    }
  })();
  const owner = server.demo.find(({ slug, role }) => slug === 'bala-hissar' && role === 'owner');
  if (owner === undefined) throw new Error('the demo has no owner');
  desk = await deskClient(server.url, owner, { patient: true });
});
afterAll(async () => {
  await server?.kill();
  await acquirer.close();
  await rm(folder, { recursive: true });
  await database.drop();
});

/** What was said about a booking, each event as often as it was published. */
function said(reservationId: string, subject: string): Promise<{ subject: string; times: bigint }[]> {
  return database.admin(
    `select topic as subject, count(*) as times from brokers.log
     where topic like $2 and (envelope::jsonb -> 'payload' ->> 'reservationId') = $1 group by topic order by topic`,
    [reservationId, subject],
  );
}

async function aStay(): Promise<Body> {
  const stay = await lastNight(desk, database);
  const roomTypeId = await typeWithRoom(desk, stay);
  const draft = await desk.draft(stay, 'card', roomTypeId);
  const id = draft.reservationId;
  await desk.send('POST', `/reservations/${id}/confirm`);
  await onThePage(await paymentPage(desk, id), 'pay');
  const booking = await desk.once(id, 'draft', 'held');
  expect(booking.status).toBe('confirmed');
  const rooms = [{ bookedRoomId: booking.rooms[0].bookedRoomId, roomId: await readyRoom(desk, roomTypeId) }];
  await desk.send('POST', `/reservations/${id}/rooms`, { fromNight: stay.arrival, rooms });
  await desk.send('POST', `/reservations/${id}/check-in`);
  const inHouse = await desk.once(id, 'confirmed');
  // Who waits longer than the deadline for a server that is away is let in by hand (SAGA-41).
  if (inHouse.status === 'check_in_partial') {
    await waitUntil('nothing is missing any more', async () => {
      const { missing } = await desk.send('GET', `/reservations/${id}`);
      return missing.length === 0;
    });
    await desk.send('POST', `/reservations/${id}/check-in/finish`);
  }
  await desk.send('POST', `/reservations/${id}/check-out`);
  return desk.once(id, 'checked_in');
}

/** Asks for so many nights and waits until that is agreed. */
async function longerStay(reservationId: string, nights: number): Promise<Body> {
  const stay = { arrival: inDays(FAR), departure: inDays(FAR + nights) };
  await desk.send('POST', `/reservations/${reservationId}/dates`, { stay, reason: 'guest_request' });
  return waitUntil(
    'the longer stay is agreed',
    async () => {
      const now = await desk.send('GET', `/reservations/${reservationId}`);
      return now.stay.departure === stay.departure ? now : undefined;
    },
    { timeoutMs: 60_000 },
  );
}

test('SAGA-09..13: a server that is killed at each step of each saga comes back, and the stay ends as if nothing had been', async () => {
  const gone = await aStay();
  expect(gone.status).toBe('checked_out');
  const { folios } = await desk.send('GET', `/folios?reservationId=${gone.reservationId}`);
  expect(folios).toMatchObject([{ status: 'closed', balance: { amount: '0' }, charges: gone.total.gross }]);
  expect(gone.payment.paid).toEqual(gone.total.gross);

  // What inventory and pricing answer has different keys, so the price may come first and end the saga without its step.
  const moved = await desk.book({ arrival: inDays(FAR), departure: inDays(FAR + 2) }, 'cash_pending');
  let changes = 0;
  do {
    changes++;
    const nights = 2 + changes;
    const longer = await longerStay(moved.reservationId, nights);
    expect(longer.rooms[0].nights).toHaveLength(nights);
  } while (ends.length < moments.length && changes < 10);

  await restarts;
  expect(ends).toEqual(moments.map(moment => [moment, 'SIGKILL']));
  const mine = [gone, moved].map(({ reservationId }) => idToUuid(reservationId));
  const sagas = await database.admin<{ kind: string; outcome: string; times: bigint }>(
    `select kind, outcome, count(*) as times from reservation.sagas
     where reservation_id = any($1::uuid[]) group by kind, outcome order by kind`,
    [mine],
  );
  expect(sagas.filter(({ kind }) => kind !== 'check_in')).toEqual([
    { kind: 'booking', outcome: 'success', times: 2n },
    { kind: 'check_out', outcome: 'success', times: 1n },
    { kind: 'date_change', outcome: 'success', times: BigInt(changes) },
  ]);
  expect(sagas.filter(({ kind }) => kind === 'check_in')).toHaveLength(1);
  for (const one of await said(gone.reservationId, 'melmastoon.reservation.booking.%'))
    expect(one.times).toBe(1n);
  const captured = await said(gone.reservationId, 'melmastoon.payment.intent.captured.v1');
  expect(captured).toMatchObject([{ times: 1n }]);
});
