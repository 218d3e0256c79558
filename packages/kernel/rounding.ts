/** Where a fraction of a minor unit goes: to the nearest with ties away from zero or to even, or always in one direction. */
export const roundings = ['half-up', 'half-even', 'down', 'up'] as const;

/** One of the rounding rules; 'down' is towards zero, 'up' away from it. */
export type Rounding = (typeof roundings)[number];

/** `numerator / denominator` as a whole number. The denominator must be positive. */
export function divideRounded(numerator: bigint, denominator: bigint, rounding: Rounding): bigint {
  if (denominator <= 0n) throw new RangeError('divideRounded: the denominator must be positive');
  const sign = numerator < 0n ? -1n : 1n;
  const size = numerator * sign;
  const whole = size / denominator;
  const rest = size % denominator;
  return sign * (roundsAway(whole, rest * 2n, { denominator, rounding }) ? whole + 1n : whole);
}

function roundsAway(
  whole: bigint,
  twiceRest: bigint,
  { denominator, rounding }: { denominator: bigint; rounding: Rounding },
): boolean {
  switch (rounding) {
    case 'down':
      return false;
    case 'up':
      return twiceRest > 0n;
    case 'half-up':
      return twiceRest >= denominator;
    case 'half-even':
      return twiceRest > denominator || (twiceRest === denominator && whole % 2n === 1n);
  }
}
