import type { LocalDate } from '@ghasi/domain-primitives/local-date';
import { divideRounded } from '@ghasi/domain-primitives/rounding';
import type { Derivation, ExtraGuests } from '../contract/resources.ts';
import type { Guests } from './charges.ts';
import { type Day, stricter } from './restrictions.ts';

/** The price of a derived plan: its base plus or minus a share or a sum, never below zero. */
export function derivedPrice(base: bigint, derivation: Derivation): bigint {
  const change =
    derivation.kind === 'percent'
      ? divideRounded(base * BigInt(derivation.basisPoints), 10_000n, 'half-up')
      : BigInt(derivation.amount.amount);
  return base + change < 0n ? 0n : base + change;
}

/** The days of a derived plan: prices follow its base, and it is never more open than that. */
export function derivedDays(
  base: ReadonlyMap<LocalDate, Day>,
  own: ReadonlyMap<LocalDate, Day>,
  derivation: Derivation,
): Map<LocalDate, Day> {
  const dates = [...new Set([...base.keys(), ...own.keys()])].sort();
  return new Map(
    dates.map(date => {
      const [below, mine] = [base.get(date), own.get(date)];
      const price = below?.price ?? null;
      const limits =
        below !== undefined && mine !== undefined
          ? stricter(below.restrictions, mine.restrictions)
          : ((below ?? mine) as Day).restrictions;
      return [
        date,
        { date, price: price === null ? null : derivedPrice(price, derivation), restrictions: limits },
      ];
    }),
  );
}

/** What guests beyond those in the price cost for one night. */
export function extraGuestPrice(extra: ExtraGuests | null, { adults, children }: Guests): bigint {
  if (extra === null) return 0n;
  const beyond = (count: number, included: number) => BigInt(Math.max(0, count - included));
  return (
    beyond(adults, extra.includedAdults) * BigInt(extra.extraAdult.amount) +
    beyond(children, extra.includedChildren) * BigInt(extra.extraChild.amount)
  );
}
