import type { Calendar } from '../client/calendar.ts';
import type { Locale } from './text-keys.ts';

type Twelve = readonly string[];

// Written out instead of asked of Intl: phones without Afghan locale data say فروردین for حمل, or nothing at all.
const gregorianDari: Twelve = 'جنوری فبروری مارچ اپریل می جون جولای اگست سپتمبر اکتوبر نومبر دسمبر'.split(
  ' ',
);

/** Names of the twelve months, first to last. */
export const monthNames: Readonly<Record<Locale, Readonly<Record<Calendar, Twelve>>>> = {
  en: {
    gregorian: 'January February March April May June July August September October November December'.split(
      ' ',
    ),
    'solar-hijri': 'Hamal Sawr Jawza Saratan Asad Sunbula Mizan Aqrab Qaws Jadi Dalw Hut'.split(' '),
  },
  ps: {
    gregorian: 'جنوري فبروري مارچ اپریل می جون جولای اګست سپتمبر اکتوبر نومبر ډسمبر'.split(' '),
    'solar-hijri': 'وری غویی غبرګولی چنګاښ زمری وږی تله لړم لیندۍ مرغومی سلواغه کب'.split(' '),
  },
  'fa-AF': {
    gregorian: gregorianDari,
    'solar-hijri': 'حمل ثور جوزا سرطان اسد سنبله میزان عقرب قوس جدی دلو حوت'.split(' '),
  },
};

/** Names of the days, Monday first. */
export const weekdayNames: Readonly<Record<Locale, readonly string[]>> = {
  en: ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'],
  ps: ['دوشنبه', 'سې‌شنبه', 'چارشنبه', 'پنجشنبه', 'جمعه', 'شنبه', 'یکشنبه'],
  'fa-AF': ['دوشنبه', 'سه‌شنبه', 'چهارشنبه', 'پنجشنبه', 'جمعه', 'شنبه', 'یکشنبه'],
};

/** Short names for the heads of a calendar, Monday first. */
export const shortWeekdays: Readonly<Record<Locale, readonly string[]>> = {
  en: ['Mo', 'Tu', 'We', 'Th', 'Fr', 'Sa', 'Su'],
  ps: ['دو', 'سې', 'چا', 'پن', 'جم', 'شن', 'یک'],
  'fa-AF': ['دو', 'سه', 'چا', 'پن', 'جم', 'شن', 'یک'],
};

/** What follows a year that is not Gregorian. */
export const eraNames: Readonly<Record<Locale, string>> = { en: 'SH', ps: 'ل', 'fa-AF': 'خ' };
