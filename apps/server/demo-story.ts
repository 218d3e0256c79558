import { addDays, daysBetween, type LocalDate } from '@ghasi/domain-primitives/local-date';
import { instantAt, type Zone } from '@ghasi/domain-primitives/zone';
import type { DemoPlan } from '@melmastoon/pricing-service/demo-prices';
import type { Chance } from './demo-chance.ts';
import type { Plan, phaseOf } from './demo-nights.ts';

type Channel = 'booking_site' | 'consumer_site' | 'front_desk' | 'walk_in' | 'phone';

/** How guests of the demo pay. */
export type DemoRail = 'card' | 'mobile_money' | 'cash' | 'cash_pending';

/** How a stay came about and when its guest came and went. */
export type Story = {
  readonly channel: Channel;
  readonly plan: DemoPlan;
  readonly rail: DemoRail;
  readonly bookedOn: LocalDate;
  readonly bookedAt: Date;
  /** Null: he has not come. */
  readonly inAt: Date | null;
  readonly outAt: Date | null;
  /** When it was given up; null: it was not. */
  readonly endedOn: LocalDate | null;
  readonly isLate: boolean;
  readonly zone: Zone;
};

/** How a booking ended before its stay, and on what terms. */
export type DemoEnd = {
  readonly kind: 'cancelled' | 'no_show';
  /** The hotel day on which it was. */
  readonly on: LocalDate;
  readonly at: Date;
  readonly fee: bigint;
  readonly refund: bigint;
};

/** Something the desk sold beside the room. */
export type DemoExtra = {
  readonly service: 'restaurant' | 'laundry' | 'transfer';
  readonly net: bigint;
  readonly tax: bigint;
  readonly on: LocalDate;
  readonly at: Date;
};

type Setting = {
  readonly today: LocalDate;
  readonly phase: ReturnType<typeof phaseOf>;
  readonly by: Chance;
  readonly zone: Zone;
};

/** Who sold it, how it is paid, and the moments of the stay. */
export function storyOf(plan: Plan, { today, phase, by, zone }: Setting): Story {
  const { arrival, departure } = plan.stay;
  const channel = channelOf(by, phase, plan);
  const sale = saleOf(by, channel, plan);
  const given = plan.end === 'cancelled' ? givenUp(arrival, { today, by, sale }) : null;
  const bookedOn = given?.bookedOn ?? bookedFor(arrival, { today, by, channel });
  const came = plan.end === 'stays' && phase !== 'ahead';
  const inAt = came ? clock(zone, arrival, by, [15, 21]) : null;
  const hours: [number, number] = bookedOn === arrival ? [8, 12] : [8, 21];
  // A walk-in is booked while he stands there.
  const bookedAt =
    channel === 'walk_in' && inAt !== null
      ? new Date(inAt.getTime() - 600_000)
      : clock(zone, bookedOn, by, hours);
  return {
    ...{ channel, ...sale, bookedOn, bookedAt, inAt, zone },
    outAt: came && phase === 'past' ? clock(zone, departure, by, [7, 9]) : null,
    endedOn: plan.end === 'no_show' ? arrival : (given?.endedOn ?? null),
    isLate: given?.isLate ?? false,
  };
}

function channelOf(by: Chance, phase: Setting['phase'], { end }: Plan): Channel {
  const canWalkIn = end === 'stays' && phase !== 'ahead';
  return by.weighted<Channel>([
    ['booking_site', 45],
    ['consumer_site', 12],
    ['phone', 22],
    ['front_desk', 11],
    ['walk_in', canWalkIn ? 10 : 0],
  ]);
}

type Sale = Pick<Story, 'plan' | 'rail'>;

const online: readonly (readonly [Sale, number])[] = [
  [{ plan: 'flexible', rail: 'cash_pending' }, 30],
  [{ plan: 'flexible', rail: 'card' }, 15],
  [{ plan: 'flexible', rail: 'mobile_money' }, 12],
  [{ plan: 'saver', rail: 'card' }, 18],
  [{ plan: 'saver', rail: 'mobile_money' }, 10],
  [{ plan: 'halfBoard', rail: 'card' }, 10],
  [{ plan: 'halfBoard', rail: 'mobile_money' }, 5],
];

/** How each channel sells. Half board is never paid in notes: its prices have pul that no note has. */
const sales: Readonly<Record<Channel, readonly (readonly [Sale, number])[]>> = {
  booking_site: online,
  consumer_site: online,
  phone: [
    [{ plan: 'flexible', rail: 'cash_pending' }, 85],
    [{ plan: 'halfBoard', rail: 'mobile_money' }, 15],
  ],
  front_desk: [
    [{ plan: 'flexible', rail: 'cash_pending' }, 60],
    [{ plan: 'saver', rail: 'cash' }, 40],
  ],
  walk_in: [[{ plan: 'flexible', rail: 'cash_pending' }, 1]],
};

function saleOf(by: Chance, channel: Channel, { end }: Plan): Sale {
  const sale = by.weighted(sales[channel]);
  // Notes that were paid ahead would have to be handed back at the desk.
  return end !== 'stays' && sale.rail === 'cash' ? { ...sale, rail: 'card' } : sale;
}

/** Hotel day of the booking: up to 60 days before arrival, and before today whatever the arrival is. */
function bookedFor(
  arrival: LocalDate,
  { today, by, channel }: Pick<Setting, 'today' | 'by'> & { channel: Channel },
): LocalDate {
  const longest = { walk_in: 0, front_desk: 4, phone: 20, booking_site: 60, consumer_site: 60 }[channel];
  const lead = Math.round(longest * by.share() ** 2);
  const wanted = addDays(arrival, -lead);
  if (wanted < today) return wanted;
  return addDays(today, -1 - Math.floor(45 * by.share() ** 2));
}

type Given = { bookedOn: LocalDate; endedOn: LocalDate; isLate: boolean };

/** When a booking was given up: in time, but for some who paid ahead and changed their mind on the eve. */
function givenUp(
  arrival: LocalDate,
  { today, by, sale }: Pick<Setting, 'today' | 'by'> & { sale: Sale },
): Given {
  const couldBeLate = sale.plan === 'flexible' && sale.rail !== 'cash_pending' && arrival <= today;
  const isLate = couldBeLate && by.percent(25);
  const inTime = addDays(arrival, -3 - Math.floor(10 * by.share() ** 2));
  const latest = addDays(today, -1 - by.int(0, 8));
  const endedOn = isLate ? addDays(arrival, -1) : daysBetween(inTime, latest) > 0 ? inTime : latest;
  return { endedOn, isLate, bookedOn: addDays(endedOn, -1 - Math.floor(30 * by.share() ** 2)) };
}

/** What a booking that was given up costs by the policies of its plan. */
export function endOf(
  { end, stay }: Plan,
  story: Story,
  of: { paid: bigint; total: bigint; firstNight: bigint },
): DemoEnd | null {
  if (end === 'stays' || story.endedOn === null) return null;
  const { paid, total, firstNight } = of;
  const isMissed = end === 'no_show';
  const fee = isMissed || story.isLate ? firstNight : story.plan === 'saver' ? total : 0n;
  // A day is closed half an hour after midnight; whoever cancels does so in the evening.
  const [date, time] = isMissed ? [addDays(stay.arrival, 1), '00:30'] : [story.endedOn, '22:15'];
  const at = instantAt(story.zone, date, time);
  return { kind: end, on: story.endedOn, at, fee, refund: paid > fee ? paid - fee : 0n };
}

const services = [
  ['restaurant', 2n],
  ['laundry', 1n],
  ['transfer', 3n],
] as const;

/** The tax in the price of a laundry, in minor units: a tenth of what the house keeps, as the receipts tax asks. */
const taxUnits: Readonly<Record<string, bigint>> = { AFN: 3_500n, USD: 50n };

/** Of a hundred guests a few take more than their room. */
export function extraOf(
  { inAt, zone }: Story,
  { stay }: Plan,
  { by, currency }: { by: Chance; currency: string },
): DemoExtra | null {
  if (inAt === null || !by.percent(12)) return null;
  const [service, factor] = by.pick(services);
  const unit = factor * (taxUnits[currency] ?? 50n);
  const on = stay.arrival; // in the evening, when he has come
  return { service, net: 10n * unit, tax: unit, on, at: instantAt(zone, on, '22:40') };
}

/** A moment of a day, in whole minutes. */
function clock(zone: Zone, date: LocalDate, by: Chance, [from, to]: [number, number]): Date {
  const two = (value: number) => String(value).padStart(2, '0');
  return instantAt(zone, date, `${two(by.int(from, to))}:${two(by.int(0, 59))}`);
}
