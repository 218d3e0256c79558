import type { Reaction } from '@ghasi/backbone/reaction';
import { newId } from '@ghasi/domain-primitives/ids';
import { newTenantId } from '@ghasi/testing/tenants';
import { AllocationReallocated } from '@melmastoon/inventory-service/contract';
import { TicketOpened } from '@melmastoon/maintenance-service/contract';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { inDays } from './fixtures/inn.ts';
import { openTown, type Town } from './fixtures/town.ts';

let town: Town;
beforeAll(async () => {
  town = await openTown();
});
afterAll(() => town.close());

/** Every column of the index. A new one is a decision about privacy: add it here only if everybody may know it. */
const publicColumns = {
  tenants: 'slug status version',
  houses: 'property_id name city country latitude longitude currency zone amenities amenities_version wanted',
  room_types:
    'room_type_id property_id name max_adults max_children max_guests amenities cover_photo_id version',
  rooms: 'room_id property_id room_type_id sellable_from closed_from',
  nights: 'property_id room_type_id date free',
  rates: 'property_id room_type_id rate_plan_id board guarantee refundable party_adults party_children',
  rate_days:
    'property_id room_type_id rate_plan_id date gross on_arrival min_nights max_nights closed_to_arrival closed_to_departure',
  checkpoints:
    'property_id handler watermark started_watermark source_watermark status error marked_at computed_at',
  listings:
    'property_id version status reason content_hash slug name country city latitude longitude amenities cover_photo_id currency from_minor cities words indexed_at',
};

/** Bookkeeping of the ground: ids of messages and keys of requests, and what was published. */
const ofTheGround = /^(inbox|inbox_floor|outbox.*|idempotency|schema_migrations)$/;

/** Everything the service has written, as text. */
async function everything(): Promise<string> {
  const texts: string[] = [];
  for (const table of [...Object.keys(publicColumns), 'outbox']) {
    const rows = await town.system.query<{ row: string }>(
      'search_aggregation',
      `select t::text as row from ${table} t`,
    );
    texts.push(...rows.map(({ row }) => row));
  }
  const jobs = await town.system.query<{ data: string }>(
    'jobs',
    `select data::text as data from job where name like 'search_aggregation%'`,
  );
  return [...texts, ...jobs.map(({ data }) => data)].join('\n');
}

test('XT-05: the tables of the index have these columns and no others', async () => {
  const found = await town.system.query<{ table: string; columns: string }>(
    'search_aggregation',
    `select table_name as table, string_agg(column_name, ' ' order by ordinal_position) as columns
     from information_schema.columns
     where table_schema = 'search_aggregation' and column_name <> 'tenant_id'
     group by table_name`,
  );
  const own = found.filter(({ table }) => !ofTheGround.test(table));
  expect(Object.fromEntries(own.map(({ table, columns }) => [table, columns]))).toEqual(publicColumns);
});

/** Fields that a careless producer might add one day. */
const personal = [
  'guestName',
  'email',
  'phone',
  'passport',
  'nationality',
  'cardNumber',
  'note',
  'address',
  'reservation',
];

test('XT-05: whatever an event says of guests or payments, at any depth, never reaches a table, a job or an event', async () => {
  const inn = town.stranger();
  const { propertyId, roomTypeId } = inn;
  const guest = newId('gst');
  const rsv = newId('rsv');
  const stay = { arrival: inDays(1), departure: inDays(2) };
  const guests = { guestId: guest, quoteId: newId('quo'), locale: 'ps' as const };
  const room = {
    bookedRoomId: newId('brm'),
    roomTypeId,
    ratePlanId: newId('rpl'),
    previousRoomId: null,
    roomId: null,
  };
  const events = [
    ...inn.opening(),
    inn.booked(inDays(1), inDays(2), rsv),
    inn.priceChanged(),
    AllocationReallocated.from(
      {
        ...{ allocationId: newId('alc'), reservationId: rsv, propertyId, reservationVersion: 2, ...guests },
        ...{ previousStay: stay, newStay: stay },
        rooms: [{ ...room, previousStay: stay, newStay: stay, adults: 1, children: 0 }],
        keyWindow: { validFrom: '2026-03-21T09:30:00.000Z', validUntil: '2026-03-22T06:30:00.000Z' },
        nights: [{ roomTypeId, date: stay.arrival, sold: 1, available: 2, nightVersion: 3 }],
      },
      { aggregateVersion: 2 },
    ),
    TicketOpened.from(
      {
        ...{ ticketId: newId('mtk'), propertyId, roomId: newId('rom'), area: null, category: 'plumbing' },
        ...{ severity: 'urgent', block: 'out_of_order', blockedDays: { from: inDays(1), until: inDays(2) } },
        ...{
          openedAt: '2026-03-21T09:30:00.000Z',
          reportedBy: newId('usr'),
          reservationId: rsv,
          taskId: null,
        },
      },
      { aggregateVersion: 1 },
    ),
  ];
  const canary = fc.uuid().map(uuid => `canary-${uuid}`);
  const extra = fc.dictionary(fc.constantFrom(...personal), canary, { minKeys: 1, maxKeys: 4 });
  const of = fc.constantFrom(...Array.from({ length: 12 }, newTenantId));
  const canaries = new Set<string>([guest, rsv]);

  await fc.assert(
    fc.asyncProperty(
      of,
      fc.constantFrom(...events),
      fc.infiniteStream(extra),
      async (tenant, event, extras) => {
        const reaction = town.service.reacts.find(
          one => one.event.subject === event.event.subject,
        ) as Reaction;
        const payload = withExtras(event.payload, () => {
          const more = extras.next().value as Record<string, string>;
          for (const text of Object.values(more)) canaries.add(text);
          return more;
        });
        const envelope = { metadata: { aggregateVersion: event.aggregateVersion } } as never;
        await town.inside(tenant, async ctx => {
          await reaction.handle(ctx, payload, envelope);
        });
      },
    ),
    { numRuns: 80 },
  );
  await town.system.settled();
  const written = await everything();
  expect(written.length).toBeGreaterThan(1_000);
  expect(canaries.size).toBeGreaterThan(100);
  expect([...canaries].filter(text => written.includes(text))).toEqual([]);
});

test('XT-05: what was asked for is taken by name too: an answer that says too much is not kept', async () => {
  const inn = await town.inn({ name: ['Discreet', 'رازدار'] });
  const found = await town.search({ text: 'discreet', arrival: inDays(1), departure: inDays(2) });
  expect(Object.keys(found.body.listings[0]).sort()).toEqual([
    'amenities',
    'city',
    'country',
    'coverPhotoId',
    'distanceKm',
    'freshness',
    'from',
    'name',
    'offer',
    'position',
    'propertyId',
    'tenantSlug',
  ]);
  expect(JSON.stringify(found.body)).not.toContain(inn.tenantId);
});

/** The payload with more fields in every object of it. */
function withExtras(value: unknown, extra: () => object): unknown {
  if (Array.isArray(value)) return value.map(one => withExtras(one, extra));
  if (value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value).map(([key, one]) => [key, withExtras(one, extra)]);
  return { ...Object.fromEntries(entries), ...extra() };
}
