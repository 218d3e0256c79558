import type { CurrencyCode } from '@ghasi/domain-primitives/currencies';
import { format, fromJson } from '@ghasi/domain-primitives/money';
import { localDateIn, parseZone } from '@ghasi/domain-primitives/zone';
import { type Calendar, partsOf, weekdayOf } from './client/calendar.ts';
import { eraNames, monthNames, weekdayNames } from './messages/calendar-names.ts';
import { catalogue, directionOf, fill } from './messages/catalogue.ts';
import type { Locale, TextKey } from './messages/text-keys.ts';

/** Money as the BFF sends it. */
export type Price = { amount: string; currency: string };

type Values = Readonly<Record<string, string | number>>;
type Counted = 'nights' | 'adults' | 'children' | 'rooms' | 'rooms.left' | 'guests';

/** How the site speaks to one guest: language, calendar and digits together. */
export type Speech = {
  readonly locale: Locale;
  readonly direction: 'ltr' | 'rtl';
  readonly calendar: Calendar;
  /** Figures in the digits of the hotel. */
  number(value: number | string): string;
  say(key: TextKey, values?: Values): string;
  /** "3 nights": the number and its noun. */
  count(noun: Counted, n: number): string;
  money(price: Price): string;
  /** The figure of an amount alone, for narrow places that name the currency elsewhere. */
  figure(price: Price): string;
  /** What a currency is called. */
  currency(code: string): string;
  /** Several facts in a row, with the comma of the language. */
  list(...facts: readonly string[]): string;
  /** "Saturday, 21 March 2026". */
  date(iso: string): string;
  /** "21 March 2026", without the weekday. */
  plainDate(iso: string): string;
  /** The same day in the other calendar, when the hotel lives by both; for small print beside the first. */
  otherDate(iso: string): string | undefined;
  /** A moment on the clock of the property, with the name of that clock (R6). */
  deadline(instant: string, zone: string): string;
};

/** What a hotel has set about figures and dates. */
export type SpeechSettings = { locale: Locale; calendar: Calendar; digits: 'latn' | 'arabext' };

/** The speech of a hotel in a language. English readers get Gregorian dates first and Latin digits always. */
export function speechOf({ locale, calendar: wanted, digits }: SpeechSettings): Speech {
  const texts = catalogue[locale];
  const calendar = locale === 'en' ? 'gregorian' : wanted;
  const arabic = digits === 'arabext' && locale !== 'en';
  // With Latin digits as the price tags of the country have them: 9,210. Pashto's own form, 9.210, reads as nine and a bit.
  const numberLocale = arabic ? `${locale}-u-nu-arabext` : 'en';

  const number = (value: number | string) => (arabic ? toArabic(String(value)) : String(value));
  const say = (key: TextKey, values: Values = {}) =>
    fill(
      texts[key],
      Object.fromEntries(
        Object.entries(values).map(([name, value]) => [
          name,
          typeof value === 'number' ? number(value) : value,
        ]),
      ),
    );
  const inCalendar = (iso: string, one: Calendar, key: 'date.full' | 'date.plain') => {
    const { year, month, day } = partsOf(iso, one);
    const era = one === 'solar-hijri' && locale === 'en' ? ` ${eraNames[locale]}` : '';
    return fill(texts[key], {
      day: number(day),
      month: monthNames[locale][one][month - 1] ?? '',
      year: number(year) + era,
      weekday: weekdayNames[locale][weekdayOf(iso) - 1] ?? '',
    });
  };
  const plainDate = (iso: string) => inCalendar(iso, calendar, 'date.plain');

  return {
    locale,
    direction: directionOf(locale),
    calendar,
    number,
    say,
    count: (noun, n) => say(`${noun}.${n === 1 ? 'one' : 'other'}`, n === 1 ? {} : { n }),
    money: price => isolated(moneyText(price, numberLocale, locale)),
    figure: price =>
      moneyText({ ...price, currency: 'AFN' }, numberLocale, 'en').replace(/[^\d۰-۹.,٫٬]/g, ''),
    currency: code => (code === 'AFN' ? afghani[locale] : code),
    list: (...facts) => facts.join(directionOf(locale) === 'rtl' ? '، ' : ', '),
    date: iso => inCalendar(iso, calendar, 'date.full'),
    plainDate,
    otherDate: iso =>
      wanted === 'solar-hijri'
        ? inCalendar(iso, calendar === 'gregorian' ? 'solar-hijri' : 'gregorian', 'date.plain')
        : undefined,
    deadline: (instant, zone) => {
      const at = new Date(instant);
      const { time, name } = clockIn(zone, at, locale);
      return say('deadline', {
        date: plainDate(localDateIn(parseZone(zone), at)),
        time: number(time),
        zone: name,
      });
    },
  };
}

// The sign ؋ is missing in many fonts, and people say the word anyway.
const afghani: Readonly<Record<Locale, string>> = { en: 'AFN', ps: 'افغانۍ', 'fa-AF': 'افغانی' };

function moneyText(price: Price, numberLocale: string, locale: Locale): string {
  const text = format(fromJson(price as { amount: string; currency: CurrencyCode }), numberLocale);
  if (price.currency !== 'AFN' || locale === 'en') return text;
  return `${text.replace(/[؋\s\u00a0\u200e\u200f]|AFN/g, '')}\u00a0${afghani[locale]}`;
}

/** Amounts stand in texts of both directions: isolated, the sign of the currency stays on its side. */
function isolated(text: string): string {
  return `\u2068${text.replace(/[\u200e\u200f\u061c]/g, '')}\u2069`;
}

function toArabic(text: string): string {
  return text.replace(/[0-9]/g, digit => '۰۱۲۳۴۵۶۷۸۹'[Number(digit)] ?? digit);
}

/** 18:00 and "Afghanistan Time" at an instant. */
function clockIn(zone: string, at: Date, locale: Locale): { time: string; name: string } {
  const parts = new Intl.DateTimeFormat(`${locale}-u-nu-latn`, {
    timeZone: zone,
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    timeZoneName: 'long',
  }).formatToParts(at);
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.find(each => each.type === type)?.value ?? '';
  return { time: `${part('hour')}:${part('minute')}`, name: part('timeZoneName') };
}
