import { defineEvent } from '@melmastoon/catalog/define-event';
import { count, days, isOncePer } from '@melmastoon/catalog/hotel-parts';
import { idText, money } from '@melmastoon/catalog/parts';
import { z } from 'zod';

/** What is computed. `booking_indexed` is the one the dashboard waits for after a booking (SAGA-22). */
export const snapshotKinds = ['booking_indexed', 'occupancy', 'revenue', 'operations'] as const;

/** How many. */
export const countMetrics = [
  'bookings',
  'cancellations',
  'no_shows',
  'rooms_sold',
  'rooms_available',
  'rooms_out_of_order',
  'tasks_completed',
] as const;

/** How much. */
export const moneyMetrics = ['room_revenue', 'other_revenue', 'average_rate', 'revenue_per_room'] as const;

/** Which part, in hundredths of a percent: 8250 is 82.5 %. */
export const shareMetrics = ['occupancy', 'cancellation_rate', 'no_show_rate'] as const;

const metric = z.discriminatedUnion('unit', [
  z.strictObject({ unit: z.literal('count'), name: z.enum(countMetrics), value: count }),
  z.strictObject({ unit: z.literal('money'), name: z.enum(moneyMetrics), value: money }),
  z.strictObject({ unit: z.literal('basis_points'), name: z.enum(shareMetrics), value: count.max(10_000) }),
]);

/** Numbers of a house, or of all houses of a tenant, over some days; sums only, nobody is recognisable (XT-05). */
export const SnapshotComputed = defineEvent({
  subject: 'melmastoon.analytics.snapshot.computed.v1',
  summary: 'an aggregation snapshot was computed',
  retention: 'warm',
  crossTenant: true,
  payload: z.strictObject({
    /** The same each time these days of this house are computed. */
    snapshotId: idText('snp'),
    kind: z.enum(snapshotKinds),
    /** Null: all houses of the tenant. */
    propertyId: idText('pro').nullable(),
    period: days,
    /** How far the data reaches that it was computed from; a lower one never replaces a higher one (PROJ-03, PROJ-10). */
    sourceWatermark: count,
    metrics: z.array(metric).min(1).refine(isOncePer(nameOf), 'has a metric twice'),
  }),
  aggregateId: p => p.snapshotId,
  idempotencyKey: p => `${p.snapshotId}:computed:${p.sourceWatermark}`,
});

/** All events of analytics-service. */
export const events = [SnapshotComputed];

/** Revenue in two currencies is two metrics. */
function nameOf({ name, value }: z.output<typeof metric>): string {
  return typeof value === 'number' ? name : `${name} ${value.currency}`;
}
