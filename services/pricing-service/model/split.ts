import { allocate, money } from '@ghasi/domain-primitives/money';

// Dividing minor units is the same in every currency; the kernel only wants to know one.
const ANY = 'AFN';

/** The dearest part, the first among equals: the named line that takes what does not divide (R20). */
export function remainderIndex(weights: readonly bigint[]): number {
  return weights.reduce((best, weight, index) => (weight > (weights[best] ?? 0n) ? index : best), 0);
}

/**
 * Splits an amount that is not more than the sum of its weights so that the parts sum to it and none is more than
 * its weight. What does not divide goes to the named line; a few pul that this line is too small for are spread.
 */
export function splitWithin(amount: bigint, weights: readonly bigint[]): bigint[] {
  const named = splitFreely(amount, weights);
  if (named.every((part, index) => part <= (weights[index] ?? 0n))) return named;
  return allocate(money(amount, ANY), weights).map(({ minor }) => minor);
}

/** The same without the limit: what does not divide always goes to the named line. */
export function splitFreely(amount: bigint, weights: readonly bigint[]): bigint[] {
  if (weights.every(weight => weight === 0n)) return weights.map((_, index) => (index === 0 ? amount : 0n));
  const remainderTo = remainderIndex(weights);
  return allocate(money(amount, ANY), weights, { remainderTo }).map(({ minor }) => minor);
}

/** Sum of minor units. */
export function total(amounts: Iterable<bigint>): bigint {
  let sum = 0n;
  for (const amount of amounts) sum += amount;
  return sum;
}
