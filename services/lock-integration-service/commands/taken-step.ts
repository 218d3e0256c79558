import type { KeyOrder, LiveKey, LockVendor } from '../lock-vendor.ts';
import type { Step, Whereabouts } from '../model/key.ts';
import type { Key } from '../queries/keys.ts';

/** What a vendor said: something that lives, sleeps, is not there or has ended. */
export type Said =
  | ({ readonly kind: 'live' } & LiveKey)
  | { readonly kind: 'asleep' | 'absent' }
  | { readonly kind: 'ended'; readonly confirmedByLock: boolean };

/** A step that somebody is at, and how the vendor is told of it. */
export type Taken = {
  readonly key: Key;
  readonly step: Step;
  /** What the vendor had before, for a step that surely did not happen. */
  readonly before: Whereabouts;
  readonly lease: string;
  readonly vendor: LockVendor | undefined;
  readonly order: KeyOrder;
};
