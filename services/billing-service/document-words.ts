import type { fees, services } from './contract.ts';

type Words = {
  readonly dir: 'ltr' | 'rtl';
  readonly invoice: string;
  readonly number: string;
  readonly date: string;
  readonly to: string;
  readonly what: string;
  readonly net: string;
  readonly tax: string;
  readonly amount: string;
  readonly taxes: string;
  readonly taxable: string;
  readonly rate: string;
  readonly total: string;
  readonly night: string;
  readonly dateChange: string;
  readonly dateChangeCredit: string;
  readonly consumption: string;
  readonly reversal: string;
  readonly fees: { readonly [fee in (typeof fees)[number]]: string };
  readonly services: { readonly [service in (typeof services)[number]]: string };
};

/** The words of an invoice in each language. */
export const words: { readonly [locale in 'en' | 'ps' | 'fa-AF']: Words } = {
  en: {
    dir: 'ltr',
    invoice: 'Invoice',
    number: 'Number',
    date: 'Date',
    to: 'To',
    what: 'Description',
    net: 'Net',
    tax: 'Tax',
    amount: 'Amount',
    taxes: 'Taxes',
    taxable: 'Taxable amount',
    rate: 'Rate',
    total: 'Total',
    night: 'Room, night of',
    dateChange: 'Change of dates',
    dateChangeCredit: 'Change of dates, given back',
    consumption: 'Consumption',
    reversal: 'Taken back',
    fees: {
      cancellation: 'Cancellation fee',
      no_show: 'No-show fee',
      early_departure: 'Early departure fee',
      late_check_out: 'Late check-out fee',
    },
    services: {
      restaurant: 'Restaurant',
      laundry: 'Laundry',
      transfer: 'Transfer',
      telephone: 'Telephone',
      parking: 'Parking',
      damage: 'Damage',
      other: 'Other',
    },
  },
  ps: {
    dir: 'rtl',
    invoice: 'بل',
    number: 'شمېره',
    date: 'نېټه',
    to: 'ترلاسه کوونکی',
    what: 'تفصیل',
    net: 'خالص',
    tax: 'مالیه',
    amount: 'مبلغ',
    taxes: 'مالیې',
    taxable: 'د مالیې وړ مبلغ',
    rate: 'کچه',
    total: 'ټول',
    night: 'خونه، د دې نېټې شپه',
    dateChange: 'د نېټو بدلون',
    dateChangeCredit: 'د نېټو بدلون، بېرته ورکړل شوی',
    consumption: 'مصرف',
    reversal: 'بېرته اخیستل شوی',
    fees: {
      cancellation: 'د لغوه کولو فیس',
      no_show: 'د نه راتګ فیس',
      early_departure: 'د وختي تګ فیس',
      late_check_out: 'د ناوخته وتلو فیس',
    },
    services: {
      restaurant: 'رستورانت',
      laundry: 'کالي مینځل',
      transfer: 'لېږد رالېږد',
      telephone: 'ټېلیفون',
      parking: 'پارکنګ',
      damage: 'زیان',
      other: 'نور',
    },
  },
  'fa-AF': {
    dir: 'rtl',
    invoice: 'بل',
    number: 'شماره',
    date: 'تاریخ',
    to: 'گیرنده',
    what: 'شرح',
    net: 'خالص',
    tax: 'مالیه',
    amount: 'مبلغ',
    taxes: 'مالیات',
    taxable: 'مبلغ مشمول مالیه',
    rate: 'نرخ',
    total: 'مجموع',
    night: 'اتاق، شب',
    dateChange: 'تغییر تاریخ',
    dateChangeCredit: 'تغییر تاریخ، بازپرداخت',
    consumption: 'مصرف',
    reversal: 'پس گرفته شد',
    fees: {
      cancellation: 'هزینهٔ لغو',
      no_show: 'هزینهٔ عدم حضور',
      early_departure: 'هزینهٔ خروج زودهنگام',
      late_check_out: 'هزینهٔ خروج دیرهنگام',
    },
    services: {
      restaurant: 'رستورانت',
      laundry: 'کالاشویی',
      transfer: 'انتقال',
      telephone: 'تیلفون',
      parking: 'پارکینگ',
      damage: 'خسارت',
      other: 'متفرقه',
    },
  },
};
