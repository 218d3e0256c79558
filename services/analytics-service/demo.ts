import type { Database } from '@ghasi/db/database';
import { sql } from '@ghasi/db/drizzle';
import { execute, rows } from '@ghasi/db/sql';
import { type Actor, type Ctx, tenantTransaction } from '@ghasi/db/tenant-transaction';
import type { CurrencyCode } from '@ghasi/domain-primitives/currencies';
import { type Id, idToUuid, type TenantId } from '@ghasi/domain-primitives/ids';
import { addDays, type LocalDate } from '@ghasi/domain-primitives/local-date';
import { localDateIn, parseZone } from '@ghasi/domain-primitives/zone';
import { projection } from './handlers/handlers.ts';
import type { Charge } from './ingest/houses.ts';
import { type Booking, foldBooking, rangesOf, type Sample, type SampleKind } from './model.ts';
import { noteChanges } from './projection/note-changes.ts';
import { runHandlers } from './projection/run-handlers.ts';
import { writeBookings, writeSamples } from './queries/write-bookings.ts';

/** A stay of the demo, past or to come, as much of it as is counted. */
export type SeedStay = {
  reservationId: Id<'rsv'>;
  propertyId: Id<'pro'>;
  channel: string;
  rail: string;
  currency: CurrencyCode;
  bookedAt: Date;
  rooms: readonly {
    bookedRoomId: Id<'brm'>;
    roomTypeId: Id<'rty'>;
    /** Every night with its frozen price in minor units. */
    nights: readonly { date: LocalDate; net: bigint; gross: bigint }[];
  }[];
  /** What became of it; `at` is when that was, `on` the hotel day it was. */
  fate:
    | { status: 'confirmed' | 'confirmed_cash_pending' }
    | { status: 'checked_in' | 'checked_out' | 'no_show'; at: Date; on: LocalDate }
    | { status: 'cancelled'; at: Date };
};

/** A line of a folio of the demo. */
export type SeedCharge = {
  lineId: Id<'fln'>;
  propertyId: Id<'pro'>;
  businessDate: LocalDate;
  kind: Exclude<Charge['kind'], 'reversal'>;
  currency: CurrencyCode;
  net: bigint;
  gross: bigint;
};

const seeder: Actor = { type: 'system', id: 'seed' };

/**
 * Counts the stays and charges of a tenant's demo and computes the numbers of its houses; those it knows already stay as
 * they are. Events about the same bookings may come before or after and win.
 */
export async function seedAnalytics(
  db: Database,
  given: { tenantId: TenantId; stays: readonly SeedStay[]; charges?: readonly SeedCharge[] },
): Promise<void> {
  const { tenantId, stays, charges = [] } = given;
  const inTransaction = <R>(work: (ctx: Ctx) => Promise<R>) =>
    tenantTransaction(db, { tenantId, actor: seeder }, work);
  const houses = [...new Set([...stays, ...charges].map(({ propertyId }) => idToUuid(propertyId)))].sort();
  const isNew = await inTransaction(async ctx => {
    // The change first: it holds the tenant's lock, so that nothing about these bookings comes in between.
    for (const scopeId of houses) {
      const own = stays.filter(({ propertyId }) => idToUuid(propertyId) === scopeId);
      noteChanges(ctx, projection, { scopeId, topic: 'booking', days: rangesOf(own.flatMap(daysOf)) });
      const posted = charges.filter(({ propertyId }) => idToUuid(propertyId) === scopeId);
      const days = rangesOf(posted.map(({ businessDate }) => businessDate));
      noteChanges(ctx, projection, { scopeId, topic: 'charge', days });
    }
    return (await seedStays(ctx, stays)) + (await seedCharges(ctx, charges)) > 0;
  });
  if (isNew) for (const scopeId of houses) await runHandlers(inTransaction, projection, scopeId);
}

/** Every day a stay counts for. The day of a moment is known to a day, whatever the zone and the hotel day are. */
function daysOf({ rooms, bookedAt, fate }: SeedStay): LocalDate[] {
  const nights = rooms.flatMap(room => room.nights.map(({ date }) => date));
  const moments = [bookedAt, ...('at' in fate ? [fate.at] : [])].map(at => localDateIn(parseZone('UTC'), at));
  const around = moments.flatMap(date => [addDays(date, -1), date, addDays(date, 1)]);
  const named = 'on' in fate ? [fate.on] : [];
  return [...nights.flatMap(date => [date, addDays(date, 1)]), ...around, ...named];
}

async function seedStays(ctx: Ctx, stays: readonly SeedStay[]): Promise<number> {
  const ids = stays.map(({ reservationId }) => idToUuid(reservationId));
  const known = await rows<{ id: string }>(
    ctx.tx,
    sql`select distinct reservation_id as id
        from analytics.booking_samples
        where tenant_id = ${ctx.tenantId} and reservation_id = any(${sql.param(ids)}::uuid[])`,
  );
  const old = new Set(known.map(({ id }) => id));
  const fresh = stays
    .map(stay => ({
      ...{ reservationId: idToUuid(stay.reservationId), propertyId: idToUuid(stay.propertyId) },
      samples: samplesOf(stay),
    }))
    .filter(({ reservationId }) => !old.has(reservationId));
  if (fresh.length === 0) return 0;
  await writeSamples(
    ctx,
    fresh.flatMap(({ samples, ...of }) => samples.map(sample => ({ ...of, sample }))),
  );
  writeBookings(
    ctx,
    fresh.map(({ samples, ...of }) => ({ ...of, booking: foldBooking(samples) as Booking })),
    { isNew: true },
  );
  return fresh.length;
}

/** What would have been heard of a stay, as version 0: it gives way to every event. */
function samplesOf({ channel, rail, currency, bookedAt, rooms, fate }: SeedStay): Sample[] {
  const roomTypes = Object.fromEntries(
    rooms.map(room => [idToUuid(room.bookedRoomId), idToUuid(room.roomTypeId)]),
  );
  const nights = rooms.flatMap(({ bookedRoomId, nights: own }) =>
    own.map(({ date, net, gross }) => ({
      ...{ bookedRoomId: idToUuid(bookedRoomId), date, net: String(net), gross: String(gross) },
    })),
  );
  const status = rail === 'cash_pending' ? ('confirmed_cash_pending' as const) : ('confirmed' as const);
  const confirmed = { status, channel, rail, currency, roomTypes, nights };
  const later = <K extends SampleKind>(
    kind: K,
    at: Date,
    businessDate: LocalDate | null,
    data: object = {},
  ) => ({ version: 0, kind, at, businessDate, data }) as Sample;
  const booked: Sample = { version: 0, kind: 'confirmed', at: bookedAt, businessDate: null, data: confirmed };
  switch (fate.status) {
    case 'confirmed':
    case 'confirmed_cash_pending':
      return [booked];
    case 'cancelled':
      return [booked, later('cancelled', fate.at, null)];
    case 'checked_out':
      return [booked, later('checked_out', fate.at, fate.on, { status: 'checked_out' })];
    default:
      return [booked, later(fate.status, fate.at, fate.on)];
  }
}

async function seedCharges(ctx: Ctx, charges: readonly SeedCharge[]): Promise<number> {
  const list = charges.map(({ lineId, propertyId, net, gross, ...line }) => ({
    ...{
      id: idToUuid(lineId),
      property: idToUuid(propertyId),
      ...line,
      net: String(net),
      gross: String(gross),
    },
  }));
  return execute(
    ctx.tx,
    sql`insert into analytics.charges (tenant_id, id, property_id, business_date, kind, currency, net, gross)
        select ${ctx.tenantId}, c.id, c.property, c."businessDate", c.kind, c.currency, c.net, c.gross
        from jsonb_to_recordset(${JSON.stringify(list)}::jsonb) as c (id uuid, property uuid, "businessDate" date, kind text,
          currency text, net bigint, gross bigint)
        on conflict (tenant_id, id) do nothing`,
  );
}
