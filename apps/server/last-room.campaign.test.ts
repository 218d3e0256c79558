import { idToUuid } from '@ghasi/domain-primitives/ids';
import { type TestDatabase, testDatabase } from '@ghasi/testing/database';
import { waitUntil } from '@ghasi/testing/signal';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type DeskClient, deskClient, inDays } from './fixtures/desk-client.ts';
import { type ServerProcess, serve } from './fixtures/server-process.ts';

const ROUNDS = 60;
const CLIENTS = 50;
/** Rounds are about different nights and do not touch each other; so many at once keep both processes busy. */
const AT_ONCE = 2;
/** Further than the stays of the demo reach: all rooms are free. */
const FAR = 100;

let database: TestDatabase;
let servers: ServerProcess[];
let desks: [DeskClient, DeskClient];
beforeAll(async () => {
  database = await testDatabase();
  const first = await serve({ database, demo: true });
  const second = await serve({ database, demo: false });
  servers = [first, second];
  const owner = first.demo.find(({ slug, role }) => slug === 'bala-hissar' && role === 'owner');
  if (owner === undefined) throw new Error('the demo has no owner');
  desks = [await deskClient(first.url, owner), await deskClient(second.url, owner)];
});
afterAll(async () => {
  await Promise.all((servers ?? []).map(server => server.kill()));
  await database.drop();
});

/** Takes every double room but one out of order for all rounds. */
async function leaveOneRoom(): Promise<void> {
  const [desk] = desks;
  const { propertyId, roomTypeId } = await desk.house();
  const { rooms } = await desk.send('GET', `/properties/${propertyId}/rooms`);
  const doubles = rooms.filter((room: { roomTypeId: string }) => room.roomTypeId === roomTypeId);
  expect(doubles.length).toBeGreaterThan(1);
  for (const room of doubles.slice(1)) {
    const nights = { from: inDays(FAR - 1), until: inDays(FAR + 2 * ROUNDS + 3) };
    await waitUntil('inventory has heard of the room', async () => {
      const block = { roomId: room.id, kind: 'out_of_order', nights };
      const { status, body } = await desk.try('POST', '/room-blocks', block);
      expect([201, 404], JSON.stringify(body)).toContain(status);
      return status === 201;
    });
  }
}

/** Everybody wants the last room of one night, half of them through each process. */
async function race(round: number): Promise<string[]> {
  const stay = { arrival: inDays(FAR + 2 * round), departure: inDays(FAR + 2 + 2 * round) };
  const quote = await desks[round % 2 === 0 ? 0 : 1].quote(stay);
  const drafts = await Promise.all(
    Array.from({ length: CLIENTS }, (_, client) =>
      (desks[client % 2] as DeskClient).draftAt(quote, 'cash_pending'),
    ),
  );
  await Promise.all(
    drafts.map(({ reservationId }, client) =>
      (desks[(client + 1) % 2] as DeskClient).send('POST', `/reservations/${reservationId}/confirm`),
    ),
  );
  const ids = drafts.map(({ reservationId }) => idToUuid(reservationId));
  const ends = await waitUntil(
    'every booking of the round is decided',
    async () => {
      const found = await database.admin<{ status: string }>(
        'select status from reservation.reservations where id = any($1::uuid[])',
        [ids],
      );
      return found.every(({ status }) => status !== 'held') ? found : undefined;
    },
    { timeoutMs: 60_000 },
  );
  return ends.map(({ status }) => status);
}

test(`R7, X-119: the last room of a night, ${ROUNDS} rounds of ${CLIENTS} clients through two processes: one winner each`, async () => {
  await leaveOneRoom();
  const outcomes: string[][] = [];
  for (let round = 0; round < ROUNDS; round += AT_ONCE) {
    const rounds = Array.from({ length: Math.min(AT_ONCE, ROUNDS - round) }, (_, n) => race(round + n));
    outcomes.push(...(await Promise.all(rounds)));
    console.info(`last room: ${outcomes.length} of ${ROUNDS} rounds`);
  }
  const winners = outcomes.map(round => round.filter(status => status === 'confirmed_cash_pending').length);
  const losers = outcomes.map(round => round.filter(status => status === 'cancelled').length);
  expect(winners).toEqual(Array(ROUNDS).fill(1));
  expect(losers).toEqual(Array(ROUNDS).fill(CLIENTS - 1));
  const [counted] = await database.admin<{ oversold: bigint; open: bigint }>(
    `select (select count(*) from inventory.nights where sold > capacity + overbook_limit) as oversold,
            (select count(*) from reservation.sagas where outcome is null) as open`,
  );
  expect(counted).toEqual({ oversold: 0n, open: 0n });
});
