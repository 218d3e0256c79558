/** How one currency is stored, shown and paid in cash: three different facts (R19). */
export type Currency = {
  /** ISO 4217 minor unit: 2 means that 100 minor units make one. Decides storage; never changes. */
  readonly exponent: 0 | 2 | 3;
  /** Fraction digits people expect to read for round amounts. */
  readonly displayDigits: 0 | 2 | 3;
  /** Smallest amount payable in notes and coins, in minor units. */
  readonly cashStep: bigint;
  readonly name: string;
};

type Row = readonly [name: string, exponent?: 0 | 2 | 3, displayDigits?: 0 | 2 | 3, cashStep?: bigint];

/*
 * ISO 4217 list one as of 2026 (no BGN, HRK, ANG, SLL, ZWL; with SLE, VED, XCG, ZWG). Left out: funds, metals and
 * units of account (BOV, CHE, CLF, USN, XAU, XDR, XTS ...), because nobody pays a room with them.
 * Exponents are ISO's, not Intl's: Intl (CLDR 48) says 0 digits for AFN, PKR, IRR, IQD and others.
 * Display digits and cash steps are what tills in the region do; everywhere else exponent and one minor unit.
 */
const rows = {
  AED: ['UAE Dirham', 2, 2, 25n], // 25 fils is the smallest coin in use
  AFN: ['Afghani', 2, 0, 100n], // no pul coins: 1 afghani
  ALL: ['Lek'],
  AMD: ['Armenian Dram'],
  AOA: ['Kwanza'],
  ARS: ['Argentine Peso'],
  AUD: ['Australian Dollar', 2, 2, 5n],
  AWG: ['Aruban Florin'],
  AZN: ['Azerbaijan Manat'],
  BAM: ['Convertible Mark'],
  BBD: ['Barbados Dollar'],
  BDT: ['Taka', 2, 2, 100n],
  BHD: ['Bahraini Dinar', 3, 3, 5n],
  BIF: ['Burundi Franc', 0],
  BMD: ['Bermudian Dollar'],
  BND: ['Brunei Dollar'],
  BOB: ['Boliviano'],
  BRL: ['Brazilian Real'],
  BSD: ['Bahamian Dollar'],
  BTN: ['Ngultrum'],
  BWP: ['Pula'],
  BYN: ['Belarusian Ruble'],
  BZD: ['Belize Dollar'],
  CAD: ['Canadian Dollar', 2, 2, 5n],
  CDF: ['Congolese Franc'],
  CHF: ['Swiss Franc', 2, 2, 5n],
  CLP: ['Chilean Peso', 0],
  CNY: ['Yuan Renminbi', 2, 2, 10n],
  COP: ['Colombian Peso'],
  CRC: ['Costa Rican Colon'],
  CUP: ['Cuban Peso'],
  CVE: ['Cabo Verde Escudo'],
  CZK: ['Czech Koruna', 2, 2, 100n],
  DJF: ['Djibouti Franc', 0],
  DKK: ['Danish Krone', 2, 2, 50n],
  DOP: ['Dominican Peso'],
  DZD: ['Algerian Dinar'],
  EGP: ['Egyptian Pound'],
  ERN: ['Nakfa'],
  ETB: ['Ethiopian Birr'],
  EUR: ['Euro'],
  FJD: ['Fiji Dollar'],
  FKP: ['Falkland Islands Pound'],
  GBP: ['Pound Sterling'],
  GEL: ['Lari'],
  GHS: ['Ghana Cedi'],
  GIP: ['Gibraltar Pound'],
  GMD: ['Dalasi'],
  GNF: ['Guinean Franc', 0],
  GTQ: ['Quetzal'],
  GYD: ['Guyana Dollar'],
  HKD: ['Hong Kong Dollar', 2, 2, 10n],
  HNL: ['Lempira'],
  HTG: ['Gourde'],
  HUF: ['Forint', 2, 0, 500n],
  IDR: ['Rupiah'],
  ILS: ['New Israeli Sheqel', 2, 2, 10n],
  INR: ['Indian Rupee', 2, 2, 100n], // paise are legal tender but not at tills
  IQD: ['Iraqi Dinar', 3, 0, 250000n], // smallest note: 250 dinars
  IRR: ['Iranian Rial', 2, 0, 100000n], // 1,000 rials; coins below are out of use
  ISK: ['Iceland Krona', 0],
  JMD: ['Jamaican Dollar'],
  JOD: ['Jordanian Dinar', 3],
  JPY: ['Yen', 0],
  KES: ['Kenyan Shilling'],
  KGS: ['Som', 2, 2, 100n],
  KHR: ['Riel'],
  KMF: ['Comorian Franc', 0],
  KPW: ['North Korean Won'],
  KRW: ['Won', 0],
  KWD: ['Kuwaiti Dinar', 3, 3, 5n],
  KYD: ['Cayman Islands Dollar'],
  KZT: ['Tenge', 2, 2, 100n],
  LAK: ['Lao Kip'],
  LBP: ['Lebanese Pound'],
  LKR: ['Sri Lanka Rupee', 2, 2, 100n],
  LRD: ['Liberian Dollar'],
  LSL: ['Loti'],
  LYD: ['Libyan Dinar', 3],
  MAD: ['Moroccan Dirham'],
  MDL: ['Moldovan Leu'],
  MGA: ['Malagasy Ariary'], // ISO gives 2 although one ariary is 5 iraimbilanja
  MKD: ['Denar'],
  MMK: ['Kyat'],
  MNT: ['Tugrik'],
  MOP: ['Pataca'],
  MRU: ['Ouguiya'], // ISO gives 2 although one ouguiya is 5 khoums
  MUR: ['Mauritius Rupee'],
  MVR: ['Rufiyaa'],
  MWK: ['Malawi Kwacha'],
  MXN: ['Mexican Peso'],
  MYR: ['Malaysian Ringgit', 2, 2, 5n],
  MZN: ['Mozambique Metical'],
  NAD: ['Namibia Dollar'],
  NGN: ['Naira'],
  NIO: ['Cordoba Oro'],
  NOK: ['Norwegian Krone', 2, 2, 100n],
  NPR: ['Nepalese Rupee', 2, 2, 100n],
  NZD: ['New Zealand Dollar', 2, 2, 10n],
  OMR: ['Rial Omani', 3, 3, 5n],
  PAB: ['Balboa'],
  PEN: ['Sol'],
  PGK: ['Kina'],
  PHP: ['Philippine Peso'],
  PKR: ['Pakistan Rupee', 2, 0, 100n], // paisa coins are no longer legal tender
  PLN: ['Zloty'],
  PYG: ['Guarani', 0],
  QAR: ['Qatari Rial', 2, 2, 25n],
  RON: ['Romanian Leu'],
  RSD: ['Serbian Dinar'],
  RUB: ['Russian Ruble'],
  RWF: ['Rwanda Franc', 0],
  SAR: ['Saudi Riyal', 2, 2, 5n],
  SBD: ['Solomon Islands Dollar'],
  SCR: ['Seychelles Rupee'],
  SDG: ['Sudanese Pound'],
  SEK: ['Swedish Krona', 2, 2, 100n],
  SGD: ['Singapore Dollar', 2, 2, 5n],
  SHP: ['Saint Helena Pound'],
  SLE: ['Leone'],
  SOS: ['Somali Shilling'],
  SRD: ['Surinam Dollar'],
  SSP: ['South Sudanese Pound'],
  STN: ['Dobra'],
  SVC: ['El Salvador Colon'],
  SYP: ['Syrian Pound'],
  SZL: ['Lilangeni'],
  THB: ['Baht'],
  TJS: ['Somoni'],
  TMT: ['Turkmenistan New Manat'],
  TND: ['Tunisian Dinar', 3],
  TOP: ["Pa'anga"],
  TRY: ['Turkish Lira', 2, 2, 5n],
  TTD: ['Trinidad and Tobago Dollar'],
  TWD: ['New Taiwan Dollar'],
  TZS: ['Tanzanian Shilling'],
  UAH: ['Hryvnia'],
  UGX: ['Uganda Shilling', 0],
  USD: ['US Dollar'],
  UYU: ['Peso Uruguayo'],
  UZS: ['Uzbekistan Sum', 2, 0, 10000n],
  VED: ['Bolivar Digital'],
  VES: ['Bolivar Soberano'],
  VND: ['Dong', 0],
  VUV: ['Vatu', 0],
  WST: ['Tala'],
  XAF: ['CFA Franc BEAC', 0],
  XCD: ['East Caribbean Dollar'],
  XCG: ['Caribbean Guilder'],
  XOF: ['CFA Franc BCEAO', 0],
  XPF: ['CFP Franc', 0],
  YER: ['Yemeni Rial'],
  ZAR: ['Rand'],
  ZMW: ['Zambian Kwacha'],
  ZWG: ['Zimbabwe Gold'],
} as const satisfies Record<string, Row>;

/** The code of an active ISO 4217 currency. */
export type CurrencyCode = keyof typeof rows;

/** Every active ISO 4217 currency a guest could pay in. */
export const currencies: Readonly<Record<CurrencyCode, Currency>> = Object.freeze(
  Object.fromEntries(
    Object.entries<Row>(rows).map(([code, [name, exponent = 2, displayDigits = exponent, cashStep = 1n]]) => [
      code,
      Object.freeze({ exponent, displayDigits, cashStep, name }),
    ]),
  ) as Record<CurrencyCode, Currency>,
);

/** True for a code in the table; case matters. */
export function isCurrencyCode(text: unknown): text is CurrencyCode {
  return typeof text === 'string' && Object.hasOwn(currencies, text);
}
