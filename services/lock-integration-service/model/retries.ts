import { seconds } from '@ghasi/domain-primitives/duration';
import type { vendorFailures } from '../contract.ts';

/** What went wrong between us and a vendor. */
export type Failure = (typeof vendorFailures)[number];

/** `desk`: a guest stands there, and his check-in has 30 s (SAGA-39); then a person takes over. */
export type Patience = 'desk' | 'background';

/** Waits after the first, second … failure, in ms; after the last one it is the front desk's (SAGA-05, SAGA-26). */
export const waits: Readonly<Record<Patience, readonly number[]>> = {
  desk: [1, 3, 8, 12].map(seconds),
  background: [2, 5, 15, 45, 120, 300].map(seconds),
};

/** When to try again after the n-th failure in a row, or null: nobody tries by himself any more. */
export function nextTry(
  { failure, retryAfterMs = 0 }: { readonly failure: Failure; readonly retryAfterMs?: number | undefined },
  { tries, patience, now }: { readonly tries: number; readonly patience: Patience; readonly now: Date },
): Date | null {
  if (failure === 'refused') return null; // the vendor has understood and said no
  const wait = waits[patience][tries - 1];
  return wait === undefined ? null : new Date(now.getTime() + Math.max(wait, retryAfterMs));
}
