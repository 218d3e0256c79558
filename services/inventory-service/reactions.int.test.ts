import type { Ctx } from '@ghasi/db/tenant-transaction';
import { newId } from '@ghasi/domain-primitives/ids';
import { addDays } from '@ghasi/domain-primitives/local-date';
import type { PendingEvent } from '@ghasi/event-envelope/define-event';
import { doubleDeliveryContract } from '@ghasi/testing/double-delivery';
import { startSystem } from '@ghasi/testing/system';
import { newTenantId } from '@ghasi/testing/tenants';
import { TicketClosed, TicketOpened } from '@melmastoon/maintenance-service/contract';
import { PropertyCreated, RoomAdded, RoomArchived } from '@melmastoon/property-service/contract';
import { describe, expect, test } from 'vitest';
import { AllocationCommitted, AllocationReleased, OversellBlocked } from './contract.ts';
import { Booking } from './fixtures/bookings.ts';
import { propertyCreated, react, roomAdded } from './fixtures/house.ts';
import { horizon } from './model.ts';
import { service } from './service.ts';

const propertyId = newId('pro');
const roomTypeId = newId('rty');
const added = roomAdded({ propertyId, roomTypeId });
const { roomId } = added.payload as { roomId: ReturnType<typeof newId<'rom'>> };
// A consumer works at the real time, so these nights are ahead of whatever day it is.
const night = (n: number) => addDays(horizon(new Date()).today, 30 + n);
const stay = { arrival: night(0), departure: night(2) };
const book = () => new Booking(propertyId, [{ roomTypeId, ...stay }]);
const booking = book();
/** An event of the booking as its first: what happened before is arranged. */
const held = booking.held();
booking.version = 0;
const first = (make: () => PendingEvent): PendingEvent => {
  booking.version = 0;
  return make();
};
const ticket = {
  ...{ ticketId: newId('mtk'), propertyId, roomId, area: null, category: 'plumbing' as const },
};
const none = { amount: '0', currency: 'AFN' as const };

const samples: PendingEvent[] = [
  propertyCreated(propertyId, 'Asia/Kabul'),
  added,
  RoomArchived.from(
    { roomId, propertyId, roomTypeId, number: '101', closedFrom: night(9), reason: 'converted' },
    { aggregateVersion: 1 },
  ),
  held,
  first(() => booking.confirmed()),
  first(() => booking.cancelled()),
  first(() => booking.noShow()),
  first(() => booking.moved(roomId)),
  first(() => booking.datesChanged({ arrival: night(1), departure: night(3) })),
  TicketOpened.from(
    {
      ...ticket,
      ...{
        severity: 'urgent',
        block: 'out_of_order',
        blockedDays: { from: night(0), until: night(1) },
      },
      ...{ openedAt: '2026-11-16T00:00:00.000Z', reportedBy: null, reservationId: null, taskId: null },
    },
    { aggregateVersion: 1 },
  ),
  TicketClosed.from(
    {
      ...ticket,
      ...{ resolution: 'repaired', block: 'out_of_order', needsCleaning: false, parts: [] },
      ...{ closedAt: '2026-11-16T00:00:00.000Z', closedBy: newId('usr') },
      ...{ labour: { minutes: 1, cost: none }, cost: none },
    },
    { aggregateVersion: 1 },
  ),
];

/** What was before: a room, and the hold or the ticket that the event is about. Its versions are forgotten. */
const before =
  (...events: (PendingEvent | undefined)[]) =>
  async (ctx: Ctx) => {
    for (const event of events) if (event !== undefined) await react(ctx, event);
    await ctx.tx.$client.query('delete from inventory.seen_versions');
  };
const opened = samples.find(({ event }) => event.subject === TicketOpened.subject);
const arrange = Object.fromEntries(
  samples
    .filter(({ event }) => event.subject !== RoomAdded.subject && event.subject !== PropertyCreated.subject)
    .map(({ event: { subject } }) => {
      const isBooking = subject.includes('.booking.') && subject !== held.event.subject;
      const cause = subject === TicketClosed.subject ? opened : isBooking ? held : undefined;
      return [subject, before(added, cause)];
    }),
);

describe('INBOX-10: whatever arrives twice has one effect', () => {
  doubleDeliveryContract(
    [service],
    Object.fromEntries(samples.map(({ event, payload }) => [event.subject, payload])),
    { arrange },
  );
});

test('in a running system: rooms arrive, a hold is committed, a second one is blocked, a cancel frees the room', async () => {
  await using system = await startSystem({ services: [service] });
  const tenantId = newTenantId();
  const [winner, loser, next] = [book(), book(), book()];
  await system.publish(tenantId, [roomAdded({ propertyId, roomTypeId })]);
  await system.settled();
  await system.publish(tenantId, [winner.held()]);
  await system.settled();
  await system.publish(tenantId, [loser.held(), winner.confirmed()]);
  await system.settled();
  await system.publish(tenantId, [winner.cancelled()]);
  await system.settled();
  await system.publish(tenantId, [next.held()]);
  await system.settled();
  const told = async (
    event: typeof AllocationCommitted | typeof AllocationReleased | typeof OversellBlocked,
  ) =>
    (await system.events(event.subject)).map(
      ({ payload }) => (payload as { reservationId: string }).reservationId,
    );
  expect(await told(AllocationCommitted)).toEqual([winner.reservationId, next.reservationId]);
  expect(await told(OversellBlocked)).toEqual([loser.reservationId]);
  expect(await told(AllocationReleased)).toEqual([winner.reservationId]);
});

test('R7: 150 holds at once, by the batch and four batches at a time, sell five rooms of each type and no more', async () => {
  await using system = await startSystem({ services: [service] });
  const tenantId = newTenantId();
  const types = [newId('rty'), newId('rty')];
  const rooms = types.flatMap(id =>
    Array.from({ length: 5 }, () => roomAdded({ propertyId, roomTypeId: id })),
  );
  await system.publish(tenantId, rooms);
  await system.settled();
  const holds = Array.from({ length: 150 }, (_, n) => {
    const arrival = night(n % 3);
    const wanted = n % 2 === 0 ? types : types.toReversed();
    const asked = wanted.map(id => ({ roomTypeId: id, arrival, departure: night((n % 3) + 3) }));
    return new Booking(propertyId, asked).held();
  });
  await system.publish(tenantId, holds);
  await system.settled({ timeoutMs: 60_000 });
  const committed = await system.events(AllocationCommitted.subject);
  const blocked = await system.events(OversellBlocked.subject);
  expect(committed.length + blocked.length).toBe(holds.length);
  // Every stay sleeps the third of these nights, so five of each type is all there can be.
  expect(committed).toHaveLength(5);
  const counters = await system.query<{ sold: number }>(
    'inventory',
    'select sold from nights where date = $1',
    [night(2)],
  );
  expect(counters).toEqual([{ sold: 5 }, { sold: 5 }]);
});
