import type { Id } from '@ghasi/domain-primitives/ids';
import type { LocalDate } from '@ghasi/domain-primitives/local-date';
import { divideRounded } from '@ghasi/domain-primitives/rounding';
import type { Stay } from '@ghasi/domain-primitives/stay';
import type { Zone } from '@ghasi/domain-primitives/zone';
import { type DemoPlan, demoNights } from '@melmastoon/pricing-service/demo-prices';
import { type Chance, chance, idAt } from './demo-chance.ts';
import { type DemoGuest, demoGuest } from './demo-guests.ts';
import { type Bed, type Plan, phaseOf, planNights } from './demo-nights.ts';
import { type DemoPayment, paymentsOf } from './demo-payments.ts';
import {
  type DemoEnd,
  type DemoExtra,
  type DemoRail,
  endOf,
  extraOf,
  type Story,
  storyOf,
} from './demo-story.ts';

/** A type of room, as much as a stay depends on it. */
export type DemoRoomType = {
  readonly id: Id<'rty'>;
  readonly maxAdults: number;
  readonly maxChildren: number;
  /** Of an ordinary night, in minor units. */
  readonly nightly: bigint;
  readonly roomIds: readonly Id<'rom'>[];
};

/** A house that is to be filled. */
export type DemoHouse = {
  readonly propertyId: Id<'pro'>;
  readonly zone: Zone;
  readonly currency: string;
  readonly roomTypes: readonly DemoRoomType[];
};

/** One room of a stay with the price of each of its nights. */
export type DemoStayRoom = Bed & {
  readonly bookedRoomId: Id<'brm'>;
  /** The key that opens its door while its guest is here. */
  readonly keyId: Id<'key'>;
  readonly adults: number;
  readonly children: number;
  readonly nights: ReturnType<typeof demoNights>;
};

/** A booking and everything that has happened to it by today. */
export type DemoStay = {
  readonly reservationId: Id<'rsv'>;
  readonly guestId: Id<'gst'>;
  readonly allocationId: Id<'alc'>;
  readonly quoteId: Id<'quo'>;
  readonly folioId: Id<'fol'>;
  readonly code: string;
  readonly guest: DemoGuest;
  readonly channel: Story['channel'];
  readonly plan: DemoPlan;
  readonly rail: DemoRail;
  readonly status:
    | 'confirmed'
    | 'confirmed_cash_pending'
    | 'checked_in'
    | 'checked_out'
    | 'cancelled'
    | 'no_show';
  /** Of the booking, as its sagas would have counted. */
  readonly version: number;
  readonly stay: Stay;
  readonly rooms: readonly DemoStayRoom[];
  readonly total: Taxed;
  readonly dueNow: bigint;
  /** What a guest pays who does not come: the first night. */
  readonly firstNight: bigint;
  readonly payments: readonly DemoPayment[];
  readonly extra: DemoExtra | null;
  readonly bookedAt: Date;
  readonly bookedOn: LocalDate;
  readonly inAt: Date | null;
  readonly outAt: Date | null;
  readonly end: DemoEnd | null;
};

type Taxed = { readonly net: bigint; readonly tax: bigint; readonly gross: bigint };

/** Of the house's half board so much is paid ahead. */
const DEPOSIT = 3_000n;

/** How often a booking has changed by then; later events count on from here. */
const versions = {
  confirmed: 6,
  confirmed_cash_pending: 6,
  checked_in: 11,
  checked_out: 13,
  cancelled: 7,
  no_show: 7,
} as const;

/**
 * Three months of guests before a hotel day and three after it. Pure: the same house and day make the same stays, down
 * to their ids. Everything that has happened has happened before the day began.
 */
export function demoStays(house: DemoHouse, today: LocalDate): DemoStay[] {
  const words = `${house.propertyId} ${today}`;
  const by = chance(words);
  const beds = house.roomTypes.flatMap(({ id: roomTypeId, roomIds }) =>
    roomIds.map(roomId => ({ roomTypeId, roomId })),
  );
  return planNights(beds, today, by)
    .map((plan, n) => stayOf(house, plan, { today, by, n, words: `${words} ${n}` }))
    .sort((a, b) => a.bookedAt.getTime() - b.bookedAt.getTime());
}

type Telling = {
  readonly today: LocalDate;
  readonly by: Chance;
  readonly n: number;
  readonly words: string;
};

function stayOf(house: DemoHouse, plan: Plan, { today, by, n, words }: Telling): DemoStay {
  const phase = phaseOf(plan.stay, today);
  const story = storyOf(plan, { today, phase, by, zone: house.zone });
  const { channel, rail, bookedAt, bookedOn } = story;
  const rooms = plan.beds.map((bed, at) => roomOf(house, { bed, story, plan, by, words: `${words} ${at}` }));
  const total = sumOf(rooms.flatMap(({ nights }) => nights));
  const firstNight = sumOf(rooms.flatMap(({ nights }) => nights.slice(0, 1))).gross;
  const dueNow = dueNowOf(story, total.gross);
  const status = statusOf(plan, phase, rail);
  const extra =
    status === 'checked_in' || status === 'checked_out'
      ? extraOf(story, plan, { by, currency: house.currency })
      : null;
  const paid = rail === 'cash_pending' ? 0n : dueNow;
  const end = endOf(plan, story, { paid, total: total.gross, firstNight });
  const id = <P extends Parameters<typeof idAt>[0]>(prefix: P) => idAt(prefix, bookedAt, words);
  return {
    ...{ reservationId: id('rsv'), guestId: id('gst'), allocationId: id('alc'), quoteId: id('quo') },
    ...{ folioId: id('fol'), code: codeOf(id('rsv')), guest: demoGuest(by, n), channel, rail, bookedAt },
    ...{ plan: story.plan, status, version: versions[status], stay: plan.stay, rooms, total, dueNow },
    ...{ firstNight, extra, end, bookedOn, inAt: story.inAt, outAt: story.outAt },
    payments: paymentsOf({ story, status, total: total.gross, dueNow, extra, end, words, by }),
  };
}

function roomOf(
  house: DemoHouse,
  of: { bed: Bed; story: Story; plan: Plan; by: Chance; words: string },
): DemoStayRoom {
  const { bed, story, plan, by, words } = of;
  const type = house.roomTypes.find(({ id }) => id === bed.roomTypeId) as DemoRoomType;
  const guests = {
    adults: by.int(type.maxAdults > 2 ? 2 : 1, type.maxAdults),
    children: by.percent(40) ? by.int(0, type.maxChildren) : 0,
  };
  const { nightly } = type;
  return {
    ...bed,
    ...guests,
    bookedRoomId: idAt('brm', story.bookedAt, words),
    keyId: idAt('key', story.inAt ?? story.bookedAt, words),
    nights: demoNights({ ...guests, stay: plan.stay, plan: story.plan, nightly, currency: house.currency }),
  };
}

function statusOf({ end }: Plan, phase: ReturnType<typeof phaseOf>, rail: DemoRail): DemoStay['status'] {
  if (end !== 'stays') return end;
  if (phase === 'past') return 'checked_out';
  if (phase === 'in_house') return 'checked_in';
  return rail === 'cash_pending' ? 'confirmed_cash_pending' : 'confirmed';
}

function dueNowOf({ plan, rail }: Story, gross: bigint): bigint {
  if (rail === 'cash_pending') return 0n;
  return plan === 'halfBoard' ? divideRounded(gross * DEPOSIT, 10_000n, 'half-up') : gross;
}

function sumOf(nights: DemoStayRoom['nights']): Taxed {
  const sum = (part: keyof Taxed) => nights.reduce((all, { price }) => all + price[part], 0n);
  return { net: sum('net'), tax: sum('tax'), gross: sum('gross') };
}

// The letters of real booking codes: no vowels, nothing that looks like something else.
const LETTERS = '23456789BCDFGHJKMNPQRSTVWXYZ';

function codeOf(reservationId: Id<'rsv'>): string {
  const by = chance(reservationId);
  return Array.from({ length: 8 }, () => LETTERS[by.int(0, LETTERS.length - 1)]).join('');
}
