import type { Ctx } from '@ghasi/db/tenant-transaction';
import { type Id, idToUuid } from '@ghasi/domain-primitives/ids';
import type { MeasuresView, SummaryView } from '../contract/views.ts';
import {
  available,
  averageRate,
  type Comparison,
  cancellationRate,
  comparedPeriod,
  growth,
  leadTime,
  lengthOfStay,
  type MixTotals,
  type MoneyTotals,
  noShowRate,
  occupancyOf,
  type Period,
  revenuePerRoom,
  share,
  type Totals,
} from '../measures.ts';
import { readHouse } from './business-dates.ts';
import { freshnessFor, freshnessJson, usedBy } from './houses.ts';
import { readTotals } from './totals.ts';

/** What is asked: days of a house or of all houses, and perhaps what to compare them with. */
export type AskedSummary = Period & {
  readonly propertyId: Id<'pro'> | null;
  readonly compare: Comparison | null;
};

/** The numbers of a period, beside those of another, and how current they are. */
export async function readSummary(ctx: Ctx, asked: AskedSummary): Promise<SummaryView> {
  const { from, until, compare } = asked;
  const propertyId = asked.propertyId === null ? null : idToUuid(asked.propertyId);
  const freshness = await freshnessFor(ctx, propertyId, usedBy.summary);
  const totals = await readTotals(ctx, { propertyId, from, until });
  const house = propertyId === null ? undefined : await readHouse(ctx, propertyId);
  return {
    propertyId: asked.propertyId,
    businessDate: house?.businessDate ?? null,
    period: { from, until },
    freshness: freshnessJson(freshness),
    measures: measuresOf(totals),
    comparison: compare === null ? null : await compared(ctx, { propertyId, from, until, compare, totals }),
  };
}

async function compared(
  ctx: Ctx,
  of: Period & { propertyId: string | null; compare: Comparison; totals: Totals },
): Promise<SummaryView['comparison']> {
  const period = comparedPeriod(of, of.compare);
  const before = await readTotals(ctx, { propertyId: of.propertyId, ...period });
  return { against: of.compare, period, measures: measuresOf(before), change: changeOf(of.totals, before) };
}

/** What two periods differ by. Currencies that only one of them has cannot be compared. */
function changeOf(now: Totals, before: Totals) {
  const [full, was] = [occupancyOf(now), occupancyOf(before)];
  return {
    occupancy: full === null || was === null ? null : full - was,
    roomsSold: growth(now.sold, before.sold),
    bookings: growth(now.bookings, before.bookings),
    money: now.money.flatMap(one => {
      const other = before.money.find(({ currency }) => currency === one.currency);
      if (other === undefined) return [];
      return {
        currency: one.currency,
        roomRevenue: growth(one.roomNet, other.roomNet),
        averageRate: growth(averageRate(one), averageRate(other)),
        revenuePerRoom: growth(revenuePerRoom(one, now), revenuePerRoom(other, before)),
      };
    }),
  };
}

/** The measures of some sums, as an answer shows them. */
export function measuresOf(totals: Totals): MeasuresView {
  const { rooms, outOfOrder, sold, arrivals, departures, bookings, cancellations, noShows } = totals;
  return {
    rooms: { rooms, outOfOrder, available: available(totals), sold, arrivals, departures },
    occupancy: occupancyOf(totals),
    money: totals.money.map(one => moneyOf(one, totals)),
    bookings: { made: bookings, cancelled: cancellations, noShows },
    stays: {
      arriving: totals.arriving,
      cancellationRate: cancellationRate(totals),
      noShowRate: noShowRate(totals),
      lengthOfStay: lengthOfStay(totals),
      leadTime: leadTime(totals),
    },
    channels: mixBy(totals, ({ channel }) => channel),
    rails: mixBy(totals, ({ rail }) => rail),
    tasksCompleted: totals.tasksCompleted,
  };
}

function moneyOf(one: MoneyTotals, totals: Totals): MeasuresView['money'][number] {
  const { currency } = one;
  const of = (minor: bigint) => ({ amount: String(minor), currency });
  const maybe = (minor: bigint | null) => (minor === null ? null : of(minor));
  return {
    currency,
    roomsSold: one.rooms,
    roomRevenue: { net: of(one.roomNet), gross: of(one.roomGross) },
    postedRoomRevenue: { net: of(one.postedNet), gross: of(one.postedGross) },
    otherRevenue: { net: of(one.otherNet), gross: of(one.otherGross) },
    averageRate: maybe(averageRate(one)),
    revenuePerRoom: maybe(revenuePerRoom(one, totals)),
  };
}

/** Each share is rounded on its own: they may add up to a hundredth more or less than all. */
function mixBy({ mix, sold }: Totals, nameOf: (one: MixTotals) => string): MeasuresView['channels'] {
  return [...Map.groupBy(mix, nameOf)]
    .map(([name, lines]) => {
      const roomsSold = lines.reduce((sum, { rooms }) => sum + rooms, 0);
      const revenue = [...Map.groupBy(lines, ({ currency }) => currency)].map(([currency, own]) => {
        const sum = (part: 'net' | 'gross') => String(own.reduce((all, one) => all + one[part], 0n));
        return { currency, net: { amount: sum('net'), currency }, gross: { amount: sum('gross'), currency } };
      });
      return { name, roomsSold, share: share(roomsSold, sold), revenue };
    })
    .sort((a, b) => b.roomsSold - a.roomsSold || (a.name < b.name ? -1 : 1));
}
