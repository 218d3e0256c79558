import { type CurrencyCode, currencies } from '@ghasi/domain-primitives/currencies';
import type { Money } from '@ghasi/domain-primitives/money';
import { errors } from './errors.ts';

/** Notes into or out of a drawer, and what they were worth in the currency that was due at that moment. */
export type Movement = { readonly direction: 'in' | 'out'; readonly cash: Money; readonly value: Money };

/** What the guest paid: in less out, in the currency that is due. Foreign notes count at the value given with them. */
export function received(due: CurrencyCode, movements: readonly Movement[]): bigint {
  let net = 0n;
  for (const { direction, cash, value } of movements) {
    if (value.currency !== due) throw errors.CURRENCY_DIFFERS({ currency: due });
    if (cash.currency === value.currency && cash.minor !== value.minor) throw errors.CASH_NOT_BALANCED();
    assertPayable(cash);
    net += direction === 'in' ? value.minor : -value.minor;
  }
  if (net <= 0n) throw errors.CASH_NOT_BALANCED();
  return net;
}

/** Refuses an amount that no notes and coins can make (R19: the cash step is a fact of its own). */
export function assertPayable({ minor, currency }: Money): void {
  const { cashStep } = currencies[currency];
  if (minor % cashStep !== 0n) throw errors.CASH_STEP({ currency, step: String(cashStep) });
}

/** What a drawer should hold, per currency, from the lines that touched it. */
export function expectedCash(
  drawer: string,
  lines: readonly { fromAccount: string; toAccount: string; amount: bigint; currency: CurrencyCode }[],
): Map<CurrencyCode, bigint> {
  const sums = new Map<CurrencyCode, bigint>();
  for (const { fromAccount, toAccount, amount, currency } of lines) {
    const change = (toAccount === drawer ? amount : 0n) - (fromAccount === drawer ? amount : 0n);
    sums.set(currency, (sums.get(currency) ?? 0n) + change);
  }
  return sums;
}

/** One counted currency. Positive variance: there is more in the drawer than there should be. */
export type Count = { readonly currency: CurrencyCode; readonly counted: bigint; readonly expected: bigint };

/** Puts the blind count beside what was expected. Every currency that moved must have been counted, even to zero. */
export function compareCount(
  counted: ReadonlyMap<CurrencyCode, bigint>,
  expected: ReadonlyMap<CurrencyCode, bigint>,
): Count[] {
  for (const currency of expected.keys()) {
    if (!counted.has(currency)) throw errors.CURRENCY_NOT_COUNTED({ currency });
  }
  return [...counted].map(([currency, minor]) => ({
    currency,
    counted: minor,
    expected: expected.get(currency) ?? 0n,
  }));
}

/** The account of a shift's drawer in the ledger. */
export const drawerAccount = (shiftId: string) => `drawer:${shiftId}`;

/** Accounts of the ledger beside drawers and providers. */
export const accounts = {
  /** Guests, all together: money came from or went to one of them. */
  guest: 'guest',
  /** Between guest and drawer: what foreign notes were worth passes through here. */
  till: 'till',
  /** Where floats come from. */
  safe: 'safe',
  /** What counts found too much or too little. */
  overShort: 'over_short',
  provider: (provider: string) => `provider:${provider}`,
} as const;
