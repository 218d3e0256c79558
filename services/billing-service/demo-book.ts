import { createHash } from 'node:crypto';
import type { CurrencyCode } from '@ghasi/domain-primitives/currencies';
import { type Id, idFromUuid } from '@ghasi/domain-primitives/ids';
import { addDays, eachDay, type LocalDate, parseLocalDate } from '@ghasi/domain-primitives/local-date';
import type { Stay } from '@ghasi/domain-primitives/stay';
import { instantAt, localDateIn, type Zone } from '@ghasi/domain-primitives/zone';
import type { services } from './contract.ts';
import { type Book, bookOf, change, closeIfDone, open, type Posting, post, postedIn } from './model/book.ts';
import { type Folio, type Payment, prepared } from './model/folio.ts';
import { chargeLine, type Night, type TaxPart } from './model/line.ts';
import { capture, expectPayment, paymentIn, refund } from './model/money.ts';
import { checkOut, endBooking, enter, postNights } from './model/stay.ts';

/** A house whose folios are seeded, and the hotel day it is on. */
export type SeedHouse = {
  readonly propertyId: Id<'pro'>;
  readonly currency: CurrencyCode;
  readonly zone: Zone;
  readonly today: LocalDate;
};

/** A payment of a stay of the demo. */
export type SeedPayment = {
  readonly paymentId: Id<'pay'>;
  readonly purpose: Payment['purpose'];
  readonly rail: Payment['rail'];
  readonly amount: bigint;
  readonly askedAt: Date;
  /** Null: it has not come. */
  readonly paidAt: Date | null;
  readonly refund: { readonly refundId: Id<'rfd'>; readonly amount: bigint; readonly at: Date } | null;
};

/** What happened to a stay of the demo, as far as somebody owes for it; amounts are minor units. */
export type SeedStay = {
  readonly folioId: Id<'fol'>;
  readonly reservationId: Id<'rsv'>;
  readonly guestId: Id<'gst'>;
  readonly quoteId: Id<'quo'>;
  readonly locale: Folio['locale'];
  readonly rail: Payment['rail'];
  /** Of the booking. */
  readonly version: number;
  readonly stay: Stay;
  readonly rooms: readonly {
    readonly bookedRoomId: Id<'brm'>;
    readonly nights: readonly {
      readonly date: LocalDate;
      readonly net: bigint;
      readonly tax: bigint;
      readonly taxes: readonly TaxPart[];
    }[];
  }[];
  readonly payments: readonly SeedPayment[];
  /** What the desk sold beside the rooms. */
  readonly extra: {
    readonly service: (typeof services)[number];
    readonly net: bigint;
    readonly tax: bigint;
    readonly taxCode: string;
    readonly at: Date;
  } | null;
  readonly bookedAt: Date;
  readonly inAt: Date | null;
  readonly outAt: Date | null;
  /** How the booking ended before its stay. */
  readonly end: {
    readonly kind: 'cancelled' | 'no_show';
    readonly at: Date;
    readonly fee: bigint;
  } | null;
};

/** Something that happened. `on`: the hotel day it counts for; default: the calendar's. */
type Step = {
  readonly at: Date;
  readonly on?: LocalDate;
  readonly take: (book: Book, at: Posting) => Book;
};

const MINUTE = 60_000;
const later = (at: Date, minutes: number) => new Date(at.getTime() + minutes * MINUTE);

/** A stay with its book. */
export type KeptStay = { readonly stay: SeedStay; readonly book: Book };

/** The book of a stay: everything that has happened goes through the rules that would have kept it, in its order. */
export function keepStay(house: SeedHouse, stay: SeedStay): KeptStay {
  const { folioId, reservationId } = stay;
  const { propertyId, currency, zone } = house;
  const folio = prepared({ id: folioId, reservationId, propertyId, currency });
  const steps = [
    ...bookingSteps(stay),
    ...stay.payments.flatMap(paymentSteps),
    ...houseSteps(house, stay),
    ...endSteps(house, stay),
  ].sort((a, b) => a.at.getTime() - b.at.getTime());
  const ids = idsOf(folioId);
  const take = (book: Book, { at, on, take: next }: Step) => {
    const businessDate = on ?? localDateIn(zone, at);
    return next(book, { businessDate, now: at, by: 'system:seed', newId: ids(at) });
  };
  return { stay, book: steps.reduce(take, bookOf(folio)) };
}

/** Ids of a folio's lines: the same stay makes the same ones, so that whoever counts them twice counts them once. */
function idsOf(folioId: Id<'fol'>): (at: Date) => Posting['newId'] {
  let made = 0;
  return at => prefix => {
    made += 1;
    const tail = createHash('sha256').update(`${folioId} ${made}`).digest('hex');
    const time = at.getTime().toString(16).padStart(12, '0');
    const head = `${time.slice(0, 8)}-${time.slice(8)}-7${tail.slice(0, 3)}-8${tail.slice(3, 6)}`;
    return idFromUuid(prefix, `${head}-${tail.slice(6, 18)}`);
  };
}

function bookingSteps(stay: SeedStay): Step[] {
  const { guestId, locale, rail, quoteId, version } = stay;
  const nights = stay.rooms.flatMap(({ bookedRoomId, nights: own }, room) =>
    own.map((night): Night => ({ ...night, bookedRoomId, room, posted: false })),
  );
  const known = { guestId, locale, rail, quoteId, bookingVersion: version };
  return [
    {
      at: later(stay.bookedAt, 3), // a booking is confirmed once what is due has come
      take: (book, at) => open({ ...change(book, known), nights }, 'confirmation', at),
    },
  ];
}

function paymentSteps({ paymentId, purpose, rail, amount, ...payment }: SeedPayment): Step[] {
  const { askedAt, paidAt, refund: back } = payment;
  const facts = (version: number) => ({ id: paymentId, purpose, rail, amount, version });
  const state = rail === 'cash_pending' ? 'promised' : 'asked';
  const steps: Step[] = [{ at: askedAt, take: book => expectPayment(book, facts(2), state) }];
  // Money that was promised is cash once it is there.
  const paid = { ...facts(3), rail: rail === 'cash_pending' ? ('cash' as const) : rail };
  if (paidAt !== null) steps.push({ at: paidAt, take: (book, at) => capture(book, paid, at) });
  if (back !== null)
    steps.push({
      at: back.at,
      take: (book, at) => {
        const known = paymentIn(book.folio, paymentId) as Payment;
        return refund(book, { ...back, payment: known, reason: 'cancellation' }, at);
      },
    });
  return steps;
}

/** From the check-in to the check-out: each night is charged when its day is closed, half an hour after midnight. */
function houseSteps({ zone, today }: SeedHouse, { stay, inAt, outAt, extra }: SeedStay): Step[] {
  if (inAt === null) return [];
  const slept = [...eachDay(stay.arrival, stay.departure < today ? stay.departure : today)];
  const steps: Step[] = [
    { at: inAt, take: book => enter(book, 'in_house') },
    ...slept.map((date): Step => {
      const at = instantAt(zone, addDays(date, 1), '00:30');
      return { at, on: date, take: (book, posting) => postNights(book, date, posting) };
    }),
  ];
  if (extra !== null) {
    const source = { kind: 'service', service: extra.service } as const;
    const charge = { ...extra, source, cause: `service:${extra.service}` };
    steps.push({ at: extra.at, take: (book, at) => post(book, chargeLine(book.folio, charge), at) });
  }
  if (outAt !== null)
    steps.push({ at: later(outAt, -6), take: checkOut }, { at: outAt, take: book => enter(book, 'left') });
  return steps;
}

/** A booking that was given up: what the policy keeps, and the close of its folio once nobody can undo it. */
function endSteps({ zone, today }: SeedHouse, { stay, rooms, end, version }: SeedStay): Step[] {
  const [room] = rooms;
  if (end === null || room === undefined) return [];
  const { kind: stage, fee, at } = end;
  const closableFrom = addDays(stay.arrival, stage === 'cancelled' ? 1 : 2);
  const ending = { stage, fee, bookedRoomId: room.bookedRoomId, version, closableFrom };
  const steps: Step[] = [{ at, take: (book, on) => endBooking(book, ending, on) }];
  if (closableFrom <= today)
    steps.push({ at: instantAt(zone, closableFrom, '00:30'), take: (book, on) => closeIfDone(book, on) });
  return steps;
}

/** A charge of a folio, for whoever counts what was posted. */
export type SeedCharge = {
  readonly lineId: Id<'fln'>;
  readonly kind: 'room_night' | 'fee' | 'service';
  readonly businessDate: LocalDate;
  readonly net: bigint;
  readonly gross: bigint;
};

/** The charges in a book. */
export function chargesIn(book: Book): SeedCharge[] {
  return postedIn(book).flatMap(({ id: lineId, kind, businessDate, net, tax }) =>
    kind === 'room_night' || kind === 'fee' || kind === 'service'
      ? [{ lineId, kind, businessDate: parseLocalDate(businessDate), net, gross: net + tax }]
      : [],
  );
}
