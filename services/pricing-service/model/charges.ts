import type { LocalDate } from '@ghasi/domain-primitives/local-date';
import { divideRounded } from '@ghasi/domain-primitives/rounding';
import type { ChargeValues } from '../contract/resources.ts';
import { splitFreely, splitWithin, total } from './split.ts';

/** A tax or fee in force. */
export type ChargeRule = { code: string; version: number; values: ChargeValues };

/** One tax or fee of one night. */
export type ChargeLine = {
  code: string;
  kind: ChargeValues['kind'];
  mode: ChargeValues['mode'];
  basis: ChargeValues['basis'];
  amount: bigint;
  version: number;
};

/** What the guest pays and what is in it, in minor units. */
export type Taxed = { net: bigint; tax: bigint; gross: bigint };

/** Who sleeps in the room. */
export type Guests = { adults: number; children: number };

type Listed = { date: LocalDate; price: bigint };
type Lines = ChargeLine[][];

/**
 * Taxes and fees of the nights of one room. The listed price stays what the guest saw: inclusive charges are taken
 * out of it, exclusive ones come on top (R20). Percentages are rounded once over the nights they apply to, so that
 * the tax of the bill is the tax of its total. `perStay: false` for nights added to a stay that has paid those.
 */
export function chargeNights(
  nights: readonly Listed[],
  rules: readonly ChargeRule[],
  { guests, perStay }: { guests: Guests; perStay: boolean },
): { charges: ChargeLine[]; price: Taxed }[] {
  const counted = rules.filter(({ values }) => perStay || !isPerStay(values));
  const of = (mode: ChargeValues['mode'], percent: boolean) =>
    counted.filter(({ values }) => values.mode === mode && (values.basis === 'percent') === percent);
  const lines: Lines = nights.map(() => []);
  // What is left of each listed price once inclusive charges are out.
  const left = nights.map(({ price }) => price);
  for (const rule of of('inclusive', false)) takeFixed(nights, { rule, guests, left, lines });
  takePercents(nights, { rules: of('inclusive', true), left, lines });
  for (const rule of of('exclusive', true)) addPercent(nights, { rule, left, lines });
  for (const rule of of('exclusive', false)) {
    const amounts = fixedAmounts(nights, rule, guests);
    put(lines, rule, amounts);
  }
  return nights.map(({ price }, index) => {
    const charges = lines[index] ?? [];
    return { charges, price: taxed(price, charges) };
  });
}

/** What a listed price becomes with its charges. */
export function taxed(listed: bigint, charges: readonly ChargeLine[]): Taxed {
  const gross = listed + total(charges.filter(({ mode }) => mode === 'exclusive').map(amountOf));
  const tax = total(charges.filter(({ kind }) => kind === 'tax').map(amountOf));
  return { net: gross - tax, tax, gross };
}

/** True for what is paid once for a room and not for each night. */
export function isPerStay({ basis }: Pick<ChargeLine, 'basis'>): boolean {
  return basis === 'per_stay' || basis === 'per_person_stay';
}

type Taking = { left: bigint[]; lines: Lines };

function takeFixed(
  nights: readonly Listed[],
  { rule, guests, left, lines }: Taking & { rule: ChargeRule; guests: Guests },
): void {
  const amounts = fixedAmounts(nights, rule, guests);
  // Once for the stay, yet inside every night's price: each night gives its share.
  const spread = isPerStay(rule.values) ? splitWithin(least(total(amounts), total(left)), left) : amounts;
  const taken = spread.map((amount, index) => least(amount, left[index] ?? 0n));
  put(lines, rule, taken);
  taken.forEach((amount, index) => {
    left[index] = (left[index] ?? 0n) - amount;
  });
}

/** Nights with the same inclusive percentages are taken together: their rates add up inside one gross price. */
function takePercents(
  nights: readonly Listed[],
  { rules, left, lines }: Taking & { rules: readonly ChargeRule[] },
): void {
  const applying = nights.map(night => rules.filter(rule => isInForce(rule, night.date)));
  const groups = new Map<string, number[]>();
  for (const [index, found] of applying.entries()) {
    const key = found.map(({ code }) => code).join(' ');
    if (key !== '') groups.set(key, [...(groups.get(key) ?? []), index]);
  }
  for (const members of groups.values()) {
    const found = applying[members[0] ?? 0] ?? [];
    const rates = found.map(basisPointsOf);
    const whole = total(rates);
    const prices = members.map(index => left[index] ?? 0n);
    const inside = divideRounded(total(prices) * whole, 10_000n + whole, 'half-up');
    splitWithin(inside, prices).forEach((amount, n) => {
      const index = members[n] as number;
      const parts = splitFreely(amount, rates);
      found.forEach((rule, at) => {
        lines[index]?.push(lineOf(rule, parts[at] ?? 0n));
      });
      left[index] = (left[index] ?? 0n) - amount;
    });
  }
}

function addPercent(nights: readonly Listed[], { rule, left, lines }: Taking & { rule: ChargeRule }): void {
  const bases = nights.map((night, index) => (isInForce(rule, night.date) ? (left[index] ?? 0n) : 0n));
  const amount = divideRounded(total(bases) * basisPointsOf(rule), 10_000n, 'half-up');
  put(lines, rule, splitFreely(amount, bases));
}

function fixedAmounts(nights: readonly Listed[], rule: ChargeRule, guests: Guests): bigint[] {
  const { values } = rule;
  if (values.basis === 'percent') return nights.map(() => 0n);
  const unit = BigInt(values.amount.amount);
  const perPerson = values.basis === 'per_person_night' || values.basis === 'per_person_stay';
  const persons = perPerson ? guests.adults + (values.countsChildren ? guests.children : 0) : 1;
  const amount = unit * BigInt(persons);
  return nights.map(({ date }, index) => {
    if (isPerStay(values) && index > 0) return 0n;
    return isInForce(rule, date) ? amount : 0n;
  });
}

function isInForce({ values }: ChargeRule, date: LocalDate): boolean {
  return values.validFrom <= date && (values.validUntil === null || date <= values.validUntil);
}

function basisPointsOf({ values }: ChargeRule): bigint {
  return values.basis === 'percent' ? BigInt(values.basisPoints) : 0n;
}

function put(lines: Lines, rule: ChargeRule, amounts: readonly bigint[]): void {
  for (const [index, amount] of amounts.entries()) if (amount > 0n) lines[index]?.push(lineOf(rule, amount));
}

function lineOf({ code, version, values }: ChargeRule, amount: bigint): ChargeLine {
  return { code, kind: values.kind, mode: values.mode, basis: values.basis, amount, version };
}

function least(left: bigint, right: bigint): bigint {
  return left < right ? left : right;
}

function amountOf({ amount }: { amount: bigint }): bigint {
  return amount;
}
