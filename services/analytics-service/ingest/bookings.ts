import { sql } from '@ghasi/db/drizzle';
import { rows } from '@ghasi/db/sql';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { addDays } from '@ghasi/domain-primitives/local-date';
import { foldBooking, rangesOf, type Sample } from '../model.ts';
import type { Days } from '../projection/handler.ts';
import { writeBookings, writeSamples } from '../queries/write-bookings.ts';
import { begin, changed } from './ingest.ts';

/** Something happened to a booking. Ids are bare uuids. */
export type Heard = { readonly reservationId: string; readonly propertyId: string; readonly sample: Sample };

/**
 * Takes in what happened to a booking and tells the booking anew from all that is known of it. So the end is the same
 * whatever came first, twice or late.
 */
export async function hearOfBooking(ctx: Ctx, heard: Heard): Promise<void> {
  const { reservationId, propertyId } = heard;
  begin(ctx);
  const [added, samples] = await Promise.all([writeSamples(ctx, [heard]), samplesOf(ctx, reservationId)]);
  const booking = foldBooking(samples);
  if (booking !== undefined)
    writeBookings(ctx, [{ reservationId, propertyId, booking }], { isNew: samples.length === added });
  const days = samples.flatMap(sample =>
    daysOf(sample).map(one => ({ ...one, subject: `${reservationId} ${sample.version} ${sample.kind}` })),
  );
  changed(ctx, { propertyId, topic: 'booking', days });
}

function samplesOf(ctx: Ctx, reservationId: string): Promise<Sample[]> {
  return rows<Sample>(
    ctx.tx,
    sql`select version, kind, at, business_date as "businessDate", data
        from analytics.booking_samples
        where tenant_id = ${ctx.tenantId} and reservation_id = ${reservationId}`,
  );
}

/**
 * Every day that a sample may count for: its nights, the day each of them ends on, and the day it happened. Those of all
 * samples together are the days of the booking as it was told before, and as it is told now.
 */
export function daysOf({ kind, at, businessDate, data }: Sample): Days[] {
  const nights = kind === 'confirmed' || kind === 'repriced' ? data.nights : [];
  const slept = nights.flatMap(({ date }) => [date, addDays(date, 1)]);
  const named = businessDate === null ? [] : [businessDate];
  return [...rangesOf([...slept, ...named]), { from: null, until: null, at }];
}
