import { addDays, daysBetween, type LocalDate } from '@ghasi/domain-primitives/local-date';
import { format, fromJson, type MoneyJson } from '@ghasi/domain-primitives/money';
import { instantAt, type Zone } from '@ghasi/domain-primitives/zone';
import { isRightToLeft, type Locale } from '../model.ts';
import { digits, type Form, formatDay, formatMoment } from './calendar.ts';
import { type Field, fill } from './fields.ts';
import type { Change, Phrases } from './language.ts';
import { languages } from './languages.ts';
import { nameOf, oneLine } from './safe-text.ts';

export type StayDates = { readonly arrival: string; readonly departure: string };

/** What a letter keeps of the event it is about: ids, dates and money, nothing that says who the guest is. */
export type Facts = {
  readonly stay?: StayDates;
  readonly previousStay?: StayDates;
  readonly wantedStay?: StayDates;
  readonly total?: MoneyJson;
  readonly paid?: MoneyJson;
  readonly outstanding?: MoneyJson;
  /** Until when a room is kept for somebody who pays on arrival. */
  readonly keptUntil?: string | null;
  readonly refund?: MoneyJson;
  readonly fee?: MoneyJson;
  readonly balance?: MoneyJson;
  readonly why?: 'noPayment' | 'noRoom';
  readonly changes?: readonly Change[];
  readonly medium?: 'passcode' | 'card' | 'mobile_key' | 'metal_key';
  readonly keyWindow?: { readonly validFrom: string; readonly validUntil: string };
  readonly alert?: string;
};

/** Whom we write to, as reservation-service says it at that moment. */
export type Addressee = {
  readonly name: string;
  readonly code: string;
  readonly arrival: string;
  readonly departure: string;
  readonly total: MoneyJson;
};

/** The house, as property-service says it. */
export type House = {
  readonly name: readonly { readonly locale: Locale; readonly text: string }[];
  readonly zone: Zone;
  readonly checkInFrom: string;
  readonly checkOutUntil: string;
};

export type Source = { readonly facts: Facts; readonly addressee: Addressee; readonly house: House };
export type Values = Readonly<Record<Field, string>>;

/** Everything the placeholders can say, in one language; what a fact does not know is empty. */
export function valuesOf({ facts, addressee, house }: Source, locale: Locale, form: Form): Values {
  const { phrases } = languages[locale];
  const stay = facts.stay ?? addressee;
  const day = (date: string | undefined) =>
    date === undefined ? '' : formatDay(date as LocalDate, locale, form);
  const moment = (text: string | undefined) =>
    text === undefined ? '' : formatMoment(house.zone, new Date(text), { locale, form });
  const at = (date: string, time: string) =>
    formatMoment(house.zone, instantAt(house.zone, date as LocalDate, time), { locale, form });
  const money = (amount: MoneyJson | undefined) => (amount === undefined ? '' : moneyText(amount, locale));
  const say = (phrase: string, values: Readonly<Record<string, string>> = {}) =>
    fill(phrase, name => values[name] ?? '');
  const sentences = { phrases, money, moment, say };
  return {
    guest: nameOf(addressee.name) ?? phrases.guest,
    hotel: houseName(house, locale),
    code: oneLine(addressee.code),
    arrival: day(stay.arrival),
    departure: day(stay.departure),
    nights: digits(daysBetween(stay.arrival as LocalDate, stay.departure as LocalDate), locale),
    checkIn: at(stay.arrival, house.checkInFrom),
    checkOut: at(stay.departure, house.checkOutUntil),
    total: money(facts.total ?? addressee.total),
    payment: paymentText(facts, sentences),
    why: facts.why === undefined ? '' : phrases[facts.why],
    refund: refundText(facts, sentences),
    changes: (facts.changes ?? []).map(one => phrases.changes[one]).join(phrases.comma),
    previousArrival: day(facts.previousStay?.arrival),
    previousDeparture: day(facts.previousStay?.departure),
    wantedArrival: day(facts.wantedStay?.arrival),
    wantedDeparture: day(facts.wantedStay?.departure),
    medium: facts.medium === undefined ? '' : phrases[facts.medium],
    keyFrom: moment(facts.keyWindow?.validFrom),
    keyUntil: moment(facts.keyWindow?.validUntil),
    balance: balanceText(facts, sentences),
    alert: oneLine(facts.alert ?? ''),
  };
}

type Sentences = {
  readonly phrases: Phrases;
  money(amount: MoneyJson | undefined): string;
  moment(text: string | undefined): string;
  say(phrase: string, values?: Readonly<Record<string, string>>): string;
};

function paymentText(
  { paid, outstanding, keptUntil }: Facts,
  { phrases, money, moment, say }: Sentences,
): string {
  if (outstanding === undefined) return '';
  if (outstanding.amount === '0') return phrases.paid;
  const owed = { paid: money(paid), outstanding: money(outstanding) };
  const isPart = paid !== undefined && paid.amount !== '0';
  const due = say(isPart ? phrases.partlyPaid : phrases.onArrival, owed);
  if (keptUntil === undefined || keptUntil === null) return due;
  return `${due} ${say(phrases.keptUntil, { until: moment(keptUntil) })}`;
}

function refundText({ refund, fee }: Facts, { phrases, money, say }: Sentences): string {
  if (refund === undefined) return '';
  const said = [
    refund.amount === '0' ? '' : say(phrases.refund, { refund: money(refund) }),
    fee === undefined || fee.amount === '0' ? '' : say(phrases.fee, { fee: money(fee) }),
  ].filter(one => one !== '');
  return said.length === 0 ? phrases.nothingDue : said.join(' ');
}

function balanceText({ balance }: Facts, { phrases, money, say }: Sentences): string {
  if (balance === undefined) return '';
  return balance.amount === '0' ? phrases.settled : say(phrases.stillOpen, { balance: money(balance) });
}

/** The kernel's format; its no-break spaces would make every English SMS twice as dear. */
function moneyText(amount: MoneyJson, locale: Locale): string {
  const text = format(fromJson(amount), locale).replaceAll(/[\u00a0\u202f]/g, ' ');
  return isRightToLeft(locale) ? text : text.replaceAll(/[\u200e\u200f]/g, '');
}

/** In the reader's language where the house has such a name, else as the house calls itself first. */
export function houseName({ name }: Pick<House, 'name'>, locale: Locale): string {
  const own = name.find(one => one.locale === locale) ?? name.find(one => one.locale === 'en') ?? name[0];
  return oneLine(own?.text ?? '');
}

/** A made-up stay for previews: three nights in Kabul, everything a template can say. */
export function exampleSource(house: House): Source {
  const afn = (minor: number) => ({ amount: String(minor), currency: 'AFN' }) as const;
  const stay = { arrival: '2026-03-21', departure: '2026-03-24' };
  const later = (dates: StayDates) => ({
    arrival: addDays(dates.arrival as LocalDate, 7),
    departure: addDays(dates.departure as LocalDate, 7),
  });
  return {
    addressee: { name: 'Zarghuna Ahmadi', code: 'K7QMX3PD', total: afn(540_000), ...stay },
    house,
    facts: {
      ...{ stay, previousStay: later(stay), wantedStay: later(stay), total: afn(540_000) },
      ...{ paid: afn(0), outstanding: afn(540_000), keptUntil: '2026-03-21T13:30:00.000Z' },
      ...{ refund: afn(360_000), fee: afn(180_000), balance: afn(11_000), why: 'noPayment' },
      ...{ changes: ['occupancy', 'special_requests'], medium: 'passcode', alert: '2 × 101' },
      keyWindow: { validFrom: '2026-03-21T09:30:00.000Z', validUntil: '2026-03-24T07:30:00.000Z' },
    },
  };
}

/** A house for previews. */
export const exampleHouse: House = {
  name: [
    { locale: 'en', text: 'Bala Hissar Guest House' },
    { locale: 'ps', text: 'د بالاحصار مېلمستون' },
    { locale: 'fa-AF', text: 'مهمان‌خانهٔ بالاحصار' },
  ],
  zone: 'Asia/Kabul' as Zone,
  checkInFrom: '14:00',
  checkOutUntil: '12:00',
};
