import type { LocalDate } from '@ghasi/domain-primitives/local-date';
import { weekday } from '@ghasi/domain-primitives/local-date';
import { localDateIn, offsetMinutes, type Zone } from '@ghasi/domain-primitives/zone';
import type { Locale } from '../model.ts';

/** A day of the solar Hijri calendar; months count from 1. */
export type SolarDay = { readonly year: number; readonly month: number; readonly day: number };

/** How much room there is: `long` in a letter, `short` on a telephone. */
export type Form = 'long' | 'short';

const persian = new Intl.DateTimeFormat('en-u-ca-persian-nu-latn', {
  timeZone: 'UTC', // a hotel day has no zone: noon in UTC is that day and no other
  year: 'numeric',
  month: 'numeric',
  day: 'numeric',
});

/** The solar Hijri day: 2026-03-21 is the first day of 1405. */
export function solarDay(date: LocalDate): SolarDay {
  const parts = persian.formatToParts(new Date(`${date}T12:00:00.000Z`));
  const part = (type: string) => Number.parseInt(parts.find(one => one.type === type)?.value ?? '', 10);
  return { year: part('year'), month: part('month'), day: part('day') };
}

/**
 * Names we print ourselves. Intl's differ with the ICU a machine was built with, and its Pashto order (`AP ۱۴۰۵ وری ۱`)
 * is nobody's.
 */
type Names = {
  readonly weekdays: readonly string[];
  readonly months: readonly string[];
  readonly solarMonths: readonly string[];
  /** What zones are called after their city. */
  readonly cities: Readonly<Record<string, string>>;
};

const dari: Names = {
  weekdays: ['دوشنبه', 'سه‌شنبه', 'چهارشنبه', 'پنجشنبه', 'جمعه', 'شنبه', 'یکشنبه'],
  months: [
    ...['جنوری', 'فبروری', 'مارچ', 'اپریل', 'می', 'جون'],
    ...['جولای', 'اگست', 'سپتمبر', 'اکتوبر', 'نومبر', 'دسمبر'],
  ],
  solarMonths: [
    ...['حمل', 'ثور', 'جوزا', 'سرطان', 'اسد', 'سنبله'],
    ...['میزان', 'عقرب', 'قوس', 'جدی', 'دلو', 'حوت'],
  ],
  cities: {
    Kabul: 'کابل',
    Karachi: 'کراچی',
    Tehran: 'تهران',
    Dubai: 'دبی',
    Dushanbe: 'دوشنبه',
    Tashkent: 'تاشکند',
  },
};

const pashto: Names = {
  weekdays: ['دوشنبه', 'سه‌شنبه', 'چهارشنبه', 'پنجشنبه', 'جمعه', 'شنبه', 'یکشنبه'],
  months: [
    ...['جنوري', 'فبروري', 'مارچ', 'اپریل', 'مۍ', 'جون'],
    ...['جولای', 'اګست', 'سپټمبر', 'اکتوبر', 'نومبر', 'ډسمبر'],
  ],
  solarMonths: [
    ...['وری', 'غویی', 'غبرګولی', 'چنګاښ', 'زمری', 'وږی'],
    ...['تله', 'لړم', 'لیندۍ', 'مرغومی', 'سلواغه', 'کب'],
  ],
  cities: {
    Kabul: 'کابل',
    Karachi: 'کراچۍ',
    Tehran: 'تهران',
    Dubai: 'دوبۍ',
    Dushanbe: 'دوشنبه',
    Tashkent: 'تاشکند',
  },
};

const english: Names = {
  weekdays: ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'],
  months: [
    ...['January', 'February', 'March', 'April', 'May', 'June'],
    ...['July', 'August', 'September', 'October', 'November', 'December'],
  ],
  solarMonths: [],
  cities: {},
};

const names: Readonly<Record<Locale, Names>> = { en: english, ps: pashto, 'fa-AF': dari };

/** Digits as the language writes them. */
export function digits(value: number | string, locale: Locale): string {
  const text = String(value);
  return locale === 'en' ? text : text.replaceAll(/\d/g, digit => '۰۱۲۳۴۵۶۷۸۹'[Number(digit)] as string);
}

/** A hotel day for people: in Pashto and Dari the solar Hijri one first, and in letters the other beside it. */
export function formatDay(date: LocalDate, locale: Locale, form: Form): string {
  const { weekdays, months, solarMonths } = names[locale];
  const [year, month, day] = date.split('-').map(Number) as [number, number, number];
  const dayName = weekdays[weekday(date) - 1] as string;
  const monthName = months[month - 1] as string;
  if (locale === 'en')
    return form === 'short'
      ? `${day} ${monthName.slice(0, 3)} ${year}`
      : `${dayName} ${day} ${monthName} ${year}`;
  const solar = solarDay(date);
  const here = digits(`${solar.day} ${solarMonths[solar.month - 1]} ${solar.year}`, locale);
  if (form === 'short') return here;
  return `${dayName} ${here} (${digits(`${day} ${monthName} ${year}`, locale)})`;
}

/** The hour on the property's clock, `14:00`. */
export function wallTimeIn(zone: Zone, moment: Date): string {
  const shifted = new Date(moment.getTime() + offsetMinutes(zone, moment) * 60_000);
  return shifted.toISOString().slice(11, 16);
}

/** What the zone is called after its city, in the language where we know its name. */
export function cityOf(zone: Zone, locale: Locale): string {
  const city = (zone.split('/').at(-1) as string).replaceAll('_', ' ');
  return names[locale].cities[city] ?? city;
}

/** R6: a deadline in the property's zone, with the zone's name, wherever the reader or the server is. */
export function formatMoment(
  zone: Zone,
  moment: Date,
  { locale, form }: { locale: Locale; form: Form },
): string {
  const day = formatDay(localDateIn(zone, moment), locale, form);
  const time = digits(wallTimeIn(zone, moment), locale);
  const city = cityOf(zone, locale);
  if (locale === 'en') return `${day}, ${time} (${city} time)`;
  return locale === 'ps' ? `${day}، ${time} بجې د ${city} په وخت` : `${day} ساعت ${time} به وقت ${city}`;
}
