import { createHash } from 'node:crypto';
import { sql } from '@ghasi/db/drizzle';
import { rows } from '@ghasi/db/sql';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import type { CurrencyCode } from '@ghasi/domain-primitives/currencies';
import { idFromUuid } from '@ghasi/domain-primitives/ids';
import { addDays, type LocalDate } from '@ghasi/domain-primitives/local-date';
import type { PayloadOf, PendingEvent } from '@ghasi/event-envelope/define-event';
import { SnapshotComputed, type snapshotKinds } from '../contract.ts';
import {
  available,
  averageRate,
  cancellationRate,
  noShowRate,
  occupancyOf,
  revenuePerRoom,
  type Totals,
} from '../measures.ts';
import type { Handler } from '../projection/handler.ts';
import type { House } from '../queries/business-dates.ts';
import { emptyTotals, readDays } from '../queries/totals.ts';
import { changedDays, type DayTable } from './days.ts';

export type SnapshotKind = (typeof snapshotKinds)[number];
type Metric = PayloadOf<typeof SnapshotComputed>['metrics'][number];
type CountName = Extract<Metric, { unit: 'count' }>['name'];
type MoneyName = Extract<Metric, { unit: 'money' }>['name'];
type ShareName = Extract<Metric, { unit: 'basis_points' }>['name'];

const counted = (name: CountName, value: number): Metric => ({ unit: 'count', name, value });
const money = (name: MoneyName, amount: bigint | null, currency: CurrencyCode): Metric[] =>
  amount === null ? [] : [{ unit: 'money', name, value: { amount: String(amount), currency } }];
/** The contract knows no more than all of it: a house that is oversold is full. */
const part = (name: ShareName, value: number | null): Metric[] =>
  value === null ? [] : [{ unit: 'basis_points', name, value: Math.min(value, 10_000) }];

const metricsOf: Record<SnapshotKind, (totals: Totals, house: House) => Metric[]> = {
  booking_indexed: ({ bookings, cancellations, noShows }) => [
    counted('bookings', bookings),
    counted('cancellations', cancellations),
    counted('no_shows', noShows),
  ],
  occupancy: totals => [
    counted('rooms_sold', totals.sold),
    counted('rooms_available', available(totals)),
    counted('rooms_out_of_order', totals.outOfOrder),
    ...part('occupancy', occupancyOf(totals)),
  ],
  revenue: (totals, { currency }) => {
    const nothing = totals.money.length === 0 && currency !== null ? [{ ...noMoney, currency }] : [];
    const all = [...totals.money, ...nothing];
    return all.flatMap(one => [
      ...money('room_revenue', one.roomNet, one.currency),
      ...money('other_revenue', one.otherNet, one.currency),
      ...money('average_rate', averageRate(one), one.currency),
      ...money('revenue_per_room', revenuePerRoom(one, totals), one.currency),
    ]);
  },
  operations: totals => [
    counted('tasks_completed', totals.tasksCompleted),
    counted('rooms_out_of_order', totals.outOfOrder),
    ...part('cancellation_rate', cancellationRate(totals)),
    ...part('no_show_rate', noShowRate(totals)),
  ],
};
const noMoney = { roomNet: 0n, otherNet: 0n, rooms: 0 };

/** A handler that tells the numbers of the days that changed: of today too, or only of days that are closed. */
function snapshotHandler(
  kind: SnapshotKind,
  of: { table: DayTable; topics: readonly string[]; needs: readonly string[]; today: boolean },
): Handler {
  const { table, topics, needs } = of;
  return {
    name: `${kind.replace('_', '-')}-snapshot`,
    version: 1,
    topics,
    needs,
    async compute(ctx, work) {
      const { house, days } = await changedDays(ctx, work, table);
      const end = of.today ? addDays(house.businessDate, 1) : house.businessDate;
      // Of a house that nobody has told us of yet there are no hotel days to tell; when it is, all of them are.
      const told = days.filter(day => house.openedOn !== null && day >= house.openedOn && day < end);
      if (told.length === 0) return [];
      const totals = await readDays(ctx, { propertyId: work.scopeId, days: told });
      const snapshots = told.map(date => ({
        ...{ kind, propertyId: work.scopeId, date, watermark: work.watermark },
        metrics: metricsOf[kind](totals.get(date) ?? emptyTotals, house),
      }));
      return saveSnapshots(ctx, snapshots);
    },
  };
}

const bookingTopics = ['house', 'day', 'booking'];

/** What is told of the numbers (EVT-76): bookings as they come (SAGA-22), the rest once a hotel day is closed. */
export const snapshotHandlers: readonly Handler[] = [
  snapshotHandler('booking_indexed', {
    table: 'demand_days',
    topics: bookingTopics,
    needs: ['demand'],
    today: true,
  }),
  snapshotHandler('occupancy', {
    ...{ table: 'room_days', topics: [...bookingTopics, 'room'], needs: ['occupancy'], today: false },
  }),
  snapshotHandler('revenue', {
    ...{ table: 'revenue_days', topics: [...bookingTopics, 'room', 'charge'], today: false },
    needs: ['occupancy', 'revenue', 'charges'],
  }),
  snapshotHandler('operations', {
    ...{ table: 'operation_days', topics: [...bookingTopics, 'room', 'task'], today: false },
    needs: ['occupancy', 'demand', 'operations'],
  }),
];

/** The same each time the same days of the same house are computed, also by a service that starts from nothing. */
export function snapshotId(of: {
  tenantId: string;
  kind: SnapshotKind;
  propertyId: string;
  from: LocalDate;
  until: LocalDate;
}): string {
  const { tenantId, kind, propertyId, from, until } = of;
  const hash = createHash('sha256')
    .update(JSON.stringify([tenantId, kind, propertyId, from, until]))
    .digest();
  hash.writeUInt8((hash.readUInt8(6) & 0x0f) | 0x80, 6); // a uuid of our own making: version 8
  hash.writeUInt8((hash.readUInt8(8) & 0x3f) | 0x80, 8);
  return hash.toString('hex', 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/** Numbers of one day of a house. */
export type Snapshot = {
  readonly kind: SnapshotKind;
  readonly propertyId: string;
  readonly date: LocalDate;
  readonly metrics: readonly Metric[];
  readonly watermark: number;
};

/** Keeps snapshots and tells those that say something new. One from less data never replaces one from more (PROJ-10). */
export async function saveSnapshots(ctx: Ctx, snapshots: readonly Snapshot[]): Promise<PendingEvent[]> {
  const list = snapshots
    .filter(({ metrics }) => metrics.length > 0)
    .map(({ propertyId, date, ...rest }) => {
      const period = { from: date, until: addDays(date, 1) };
      return {
        ...rest,
        propertyId,
        ...period,
        id: snapshotId({ tenantId: ctx.tenantId, propertyId, ...rest, ...period }),
      };
    });
  const saved = await rows<{ id: string; version: number; isNew: boolean }>(
    ctx.tx,
    sql`with given as (
          select g.*, s.metrics as before
          from jsonb_to_recordset(${JSON.stringify(list)}::jsonb) as g (id uuid, kind text, "propertyId" uuid, "from" date,
            until date, watermark bigint, metrics jsonb)
          left join analytics.snapshots s on s.tenant_id = ${ctx.tenantId} and s.id = g.id
        ), saved as (
          insert into analytics.snapshots as s
            (tenant_id, id, kind, property_id, from_date, until_date, source_watermark, metrics, computed_at)
          select ${ctx.tenantId}, g.id, g.kind, g."propertyId", g."from", g.until, g.watermark, g.metrics, ${ctx.now}
          from given g
          on conflict (tenant_id, id) do update
          set source_watermark = excluded.source_watermark, metrics = excluded.metrics,
              computed_at = excluded.computed_at, version = s.version + (s.metrics <> excluded.metrics)::int
          where s.source_watermark < excluded.source_watermark
          returning s.id, s.version, s.metrics
        )
        select n.id, n.version, g.before is distinct from n.metrics as "isNew"
        from saved n
        join given g on g.id = n.id`,
  );
  const isNew = new Map(saved.filter(one => one.isNew).map(({ id, version }) => [id, version]));
  return list.flatMap(({ id, kind, propertyId, from, until, watermark, metrics }) => {
    const aggregateVersion = isNew.get(id);
    if (aggregateVersion === undefined) return [];
    const payload = {
      ...{ snapshotId: idFromUuid('snp', id), kind, propertyId: idFromUuid('pro', propertyId) },
      ...{ period: { from, until }, sourceWatermark: watermark, metrics: [...metrics] },
    };
    return [SnapshotComputed.from(payload, { aggregateVersion })];
  });
}
