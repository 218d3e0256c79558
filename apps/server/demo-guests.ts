import type { Chance } from './demo-chance.ts';

/** Somebody who books. Nobody of them exists. */
export type DemoGuest = {
  name: string;
  phone: string;
  email: string | null;
  locale: 'en' | 'ps' | 'fa-AF';
};

const dari = {
  first: [
    'فرشته',
    'نیلوفر',
    'شبنم',
    'مریم',
    'پروانه',
    'ثریا',
    'احمد ضیا',
    'بهرام',
    'داوود',
    'فرهاد',
    'حمید',
    'جاوید',
    'کاوه',
    'میرویس',
    'نجیب',
    'رامین',
    'سهراب',
    'تمیم',
    'یما',
    'زلمی',
  ],
  last: [
    'آریان‌پور',
    'بهروزی',
    'چشتی‌نیا',
    'دلاوری',
    'فروغ‌زاد',
    'غوری‌پور',
    'هروی‌زاده',
    'جامی‌فر',
    'کابلیار',
    'مهرآیین',
    'نوروزی‌فر',
    'پامیرزاد',
    'رستاخیز',
    'سپیدرود',
    'تخاری‌نژاد',
  ],
};

const pashto = {
  first: [
    'زرمینه',
    'پلوشه',
    'سپوږمۍ',
    'شینکۍ',
    'توریالۍ',
    'ځلاند',
    'میرویس',
    'اباسین',
    'بریالی',
    'ګلالۍ',
    'هېواد',
    'لمر',
    'مېړنی',
    'ننګیالی',
    'سباوون',
    'وږمه',
  ],
  last: [
    'اباسینوال',
    'بریالیزوی',
    'ځدراڼیار',
    'ګربزیار',
    'هوتکزوی',
    'لمریار',
    'مومندیار',
    'ننګیار',
    'سپینغریوال',
    'شینواریزوی',
    'توره‌بازخېل',
    'وردګیار',
  ],
};

const abroad = {
  first: [
    'Amina',
    'Anton',
    'Bahar',
    'Chiara',
    'Daniyar',
    'Elif',
    'Farrukh',
    'Greta',
    'Haruto',
    'Imran',
    'Jonas',
    'Karima',
    'Lena',
    'Marcus',
    'Nadia',
    'Omar',
    'Priya',
    'Quentin',
    'Rustam',
    'Sofia',
    'Timur',
    'Yuki',
    'Zainab',
  ],
  last: [
    'Abendroth',
    'Baturov',
    'Castellane',
    'Demirkaya',
    'Eriksdotter',
    'Farooqui',
    'Gulmanov',
    'Hartwell',
    'Iskanderi',
    'Jalalzada',
    'Kawamori',
    'Lindqvast',
    'Mirzoyan',
    'Norgaard',
    'Okonjola',
    'Pellegrino',
    'Qureshani',
    'Rasulzoda',
    'Sandoval',
    'Turgunbay',
    'Vanterpool',
    'Whitcombe',
    'Yamashiro',
  ],
};

/** A guest by chance; `n` keeps telephone numbers apart. */
export function demoGuest(by: Chance, n: number): DemoGuest {
  const locale = by.weighted([
    ['fa-AF', 45],
    ['ps', 25],
    ['en', 30],
  ] as const);
  const names = { 'fa-AF': dari, ps: pashto, en: abroad }[locale];
  const [first, last] = [by.pick(names.first), by.pick(names.last)];
  const hasMail = locale === 'en' || by.percent(15);
  return {
    name: `${first} ${last}`,
    phone: locale === 'en' ? numberAbroad(by, n) : `+9370000${String(n % 10_000).padStart(4, '0')}`,
    // RFC 2606: nobody's mail.
    email: hasMail ? `guest${n}@${by.pick(['example.com', 'example.net', 'example.org'])}` : null,
    locale,
  };
}

/** Numbers that regulators keep for films and manuals: British 07700 900xxx, North American 555-01xx. */
function numberAbroad(by: Chance, n: number): string {
  return by.percent(50)
    ? `+447700900${String(n % 1_000).padStart(3, '0')}`
    : `+1${by.pick(['202', '312', '415'])}55501${String(n % 100).padStart(2, '0')}`;
}
