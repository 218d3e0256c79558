import { type CurrencyCode, currencies, isCurrencyCode } from './currencies.ts';
import { coreErrors } from './errors.ts';
import { divideRounded, type Rounding } from './rounding.ts';

/** An exact amount: whole minor units (pul, paisa, cent) of one currency. */
export type Money = { readonly minor: bigint; readonly currency: CurrencyCode };

/** Money on the wire: minor units as a decimal string, because JSON numbers lose digits. */
export type MoneyJson = { readonly amount: string; readonly currency: CurrencyCode };

/** Most digits an amount may have; fits PostgreSQL's bigint with room for sums. */
export const MAX_MONEY_DIGITS = 18;

const LIMIT = 10n ** BigInt(MAX_MONEY_DIGITS);

/** Makes money from minor units; refuses numbers, unknown currencies and more than 18 digits. */
export function money(minor: bigint, currency: string): Money {
  if (typeof minor !== 'bigint') {
    throw malformed(`the amount must be a bigint of minor units, got ${typeof minor} ${String(minor)}`);
  }
  if (minor <= -LIMIT || minor >= LIMIT) throw malformed(`more than ${MAX_MONEY_DIGITS} digits`);
  return Object.freeze({ minor, currency: parseCurrency(currency) });
}

/** Nothing, in one currency. */
export function zero(currency: string): Money {
  return money(0n, currency);
}

/** Reads a currency code from outside. */
export function parseCurrency(text: unknown): CurrencyCode {
  if (isCurrencyCode(text)) return text;
  throw coreErrors.UNKNOWN_CURRENCY({ currency: typeof text === 'string' ? text.slice(0, 12) : typeof text });
}

/** Sum of two amounts of one currency. */
export function add(left: Money, right: Money): Money {
  assertSameCurrency(left, right);
  return money(left.minor + right.minor, left.currency);
}

/** Difference of two amounts of one currency. */
export function subtract(left: Money, right: Money): Money {
  assertSameCurrency(left, right);
  return money(left.minor - right.minor, left.currency);
}

/** Sum of a list; the currency is named so that an empty list has a sum too. */
export function sum(amounts: Iterable<Money>, currency: string): Money {
  let total = zero(currency);
  for (const amount of amounts) total = add(total, amount);
  return total;
}

/** The same amount with the other sign. */
export function negate(amount: Money): Money {
  return money(-amount.minor, amount.currency);
}

/** A whole multiple, such as seven nights of one price. */
export function multiply(amount: Money, times: bigint): Money {
  if (typeof times !== 'bigint') throw malformed(`can be multiplied by a bigint only, got ${typeof times}`);
  return money(amount.minor * times, amount.currency);
}

/** -1, 0 or 1 as left is less than, equal to or more than right, for sorting too. */
export function compare(left: Money, right: Money): -1 | 0 | 1 {
  assertSameCurrency(left, right);
  if (left.minor === right.minor) return 0;
  return left.minor < right.minor ? -1 : 1;
}

/**
 * Splits an amount by whole weights so that the parts sum to it exactly. What does not divide goes, one minor unit
 * each, to the parts that lost the largest fraction (earlier first), or all to the part `remainderTo` (R20).
 */
export function allocate(
  amount: Money,
  weights: readonly (bigint | number)[],
  { remainderTo }: { remainderTo?: number } = {},
): Money[] {
  const shares = weights.map(toWeight);
  const whole = shares.reduce((total, share) => total + share, 0n);
  if (whole === 0n) throw malformed('cannot be split: the weights sum to zero');
  const sign = amount.minor < 0n ? -1n : 1n;
  const size = amount.minor * sign;
  const parts = shares.map(share => (size * share) / whole);
  let left = parts.reduce((rest, part) => rest - part, size);
  if (remainderTo === undefined) {
    const byLoss = shares
      .map((share, index) => ({ index, loss: (size * share) % whole }))
      .sort((a, b) => (a.loss === b.loss ? a.index - b.index : a.loss < b.loss ? 1 : -1));
    for (const { index } of byLoss) {
      if (left === 0n) break;
      parts[index] = (parts[index] ?? 0n) + 1n;
      left -= 1n;
    }
  } else {
    const named = parts[remainderTo];
    if (named === undefined) throw malformed(`cannot be split: there is no part ${remainderTo}`);
    parts[remainderTo] = named + left;
  }
  return parts.map(part => money(part * sign, amount.currency));
}

function toWeight(weight: bigint | number): bigint {
  const whole = typeof weight === 'bigint' || Number.isSafeInteger(weight);
  if (!whole || weight < 0) throw malformed(`cannot be split: weight ${weight} is not a whole number from 0`);
  return BigInt(weight);
}

/** A share in basis points (1,250 = 12.5 %). The rounding has no default: tax law differs. */
export function percentage(amount: Money, basisPoints: bigint | number, rounding: Rounding): Money {
  return money(divideRounded(amount.minor * toBasisPoints(basisPoints), 10_000n, rounding), amount.currency);
}

/** Takes the tax out of a price that includes it: the gross stays, and net + tax is the gross exactly (R20). */
export function splitGross(
  gross: Money,
  basisPoints: bigint | number,
  rounding: Rounding,
): { readonly net: Money; readonly tax: Money } {
  const rate = toBasisPoints(basisPoints);
  if (rate < 0n) throw malformed('a rate inside a gross price cannot be negative');
  const tax = money(divideRounded(gross.minor * rate, 10_000n + rate, rounding), gross.currency);
  return { net: subtract(gross, tax), tax };
}

function toBasisPoints(basisPoints: bigint | number): bigint {
  if (typeof basisPoints === 'bigint' || Number.isSafeInteger(basisPoints)) return BigInt(basisPoints);
  throw malformed(`${basisPoints} is not a whole number of basis points`);
}

/** The nearest amount that notes and coins can pay; the difference is for the caller to post. */
export function roundToCash(amount: Money, rounding: Rounding = 'half-up'): Money {
  const { cashStep } = currencies[amount.currency];
  return money(divideRounded(amount.minor, cashStep, rounding) * cashStep, amount.currency);
}

/** The wire form. */
export function toJson(amount: Money): MoneyJson {
  return { amount: amount.minor.toString(), currency: amount.currency };
}

/** Reads the wire form; strict, so that one amount has one text. */
export function fromJson(value: unknown): Money {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw malformed('expected { "amount": "12500", "currency": "AFN" }');
  }
  const { amount, currency, ...others } = value as Record<string, unknown>;
  const [unknownKey] = Object.keys(others);
  if (unknownKey !== undefined) throw malformed(`unknown field "${unknownKey}"`);
  return money(parseMinor(amount), parseCurrency(currency));
}

function parseMinor(amount: unknown): bigint {
  if (typeof amount !== 'string') throw malformed(`amount must be a string, got ${typeof amount}`);
  if (amount === '-0') throw malformed('amount "-0" has a sign but no value');
  if (/^-?0\d/.test(amount)) throw malformed('amount has leading zeros');
  if (!/^-?\d+$/.test(amount)) throw malformed('amount must be whole minor units such as "12500"');
  if (amount.replace('-', '').length > MAX_MONEY_DIGITS)
    throw malformed(`more than ${MAX_MONEY_DIGITS} digits`);
  return BigInt(amount);
}

/** The amount as plain decimal text with all digits of the exponent, e.g. '125.00'; for CSV and gateways. */
export function toDecimal(amount: Money): string {
  const { exponent } = currencies[amount.currency];
  const sign = amount.minor < 0n ? '-' : '';
  const digits = (amount.minor < 0n ? -amount.minor : amount.minor).toString().padStart(exponent + 1, '0');
  if (exponent === 0) return sign + digits;
  return `${sign}${digits.slice(0, -exponent)}.${digits.slice(-exponent)}`;
}

/** Reads plain decimal text such as '125.5'; more fraction digits than the currency has are refused, not rounded. */
export function fromDecimal(text: string, currency: string): Money {
  const code = parseCurrency(currency);
  const { exponent } = currencies[code];
  const [, sign, whole, fraction = ''] = /^(-?)(0|[1-9]\d{0,17})(?:\.(\d+))?$/.exec(text) ?? [];
  if (sign === undefined || whole === undefined) throw malformed('expected decimal text such as "125.50"');
  if (fraction.length > exponent) throw malformed(`${code} has ${exponent} fraction digits`);
  const minor = BigInt(whole + fraction.padEnd(exponent, '0'));
  if (sign === '-' && minor === 0n) throw malformed('it has a sign but no value');
  return money(sign === '-' ? -minor : minor, code);
}

/**
 * The amount for people, in the digits and order of the locale. Shows the currency's display digits, and all digits
 * when the amount has minor units: it never rounds, so what is read is what is owed.
 */
export function format(amount: Money, locale: string): string {
  const { exponent, displayDigits } = currencies[amount.currency];
  const hidden = 10n ** BigInt(exponent - displayDigits);
  const digits = amount.minor % hidden === 0n ? displayDigits : exponent;
  const formatter = new Intl.NumberFormat(locale, {
    style: 'currency',
    currency: amount.currency,
    // Both given: Intl's own digits are wrong for AFN, PKR, IRR, IQD (R19).
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
  // Text, not a number: Intl formats decimal strings exactly, whatever their length.
  return formatter.format(toDecimal(amount) as `${number}`);
}

function assertSameCurrency(left: Money, right: Money): void {
  if (left.currency !== right.currency) {
    throw coreErrors.CURRENCY_MISMATCH({ left: left.currency, right: right.currency });
  }
}

function malformed(reason: string) {
  return coreErrors.MALFORMED_MONEY({ reason });
}
