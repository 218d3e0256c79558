import type { Id, TenantId } from '@ghasi/domain-primitives/ids';
import type { Zone } from '@ghasi/domain-primitives/zone';
import type { keyMedia, lockVendors } from './contract.ts';
import type { Failure } from './model/retries.ts';
import type { CodeRules, Window } from './model/windows.ts';

export type VendorName = (typeof lockVendors)[number];
export type KeyMedium = (typeof keyMedia)[number];

/** How we reach a lock. `offline`: codes work without it hearing from us, and cannot be taken back before they end. */
export const reaches = ['online', 'gateway', 'offline'] as const;
export type Reach = (typeof reaches)[number];

/** A lock as its vendor knows it. The tenant says whose account is used: nobody reaches the locks of another house. */
export type LockPlace = {
  readonly tenantId: TenantId;
  readonly lockReference: string;
  readonly reach: Reach;
  readonly zone: Zone;
};

/** One of our keys, as a vendor is told of it: our id is its name there, the same for every try. */
export type KeyOrder = LockPlace & {
  readonly credentialId: Id<'key'>;
  /** In the vendor's own steps (`rules`). */
  readonly window: Window;
};

/** A key that opens. `code`: what opens the door, for vendors with `hasCode`; null where the vendor shows it only once. */
export type LiveKey = { readonly reference: string; readonly window: Window; readonly code: string | null };

/** What a vendor says about one of our keys. */
export type KeyStanding =
  | ({ readonly state: 'live' } & LiveKey)
  | { readonly state: 'asleep'; readonly reference: string }
  | { readonly state: 'absent' };

/** A lock at this moment. `battery`: percent, null where nobody measures it. */
export type LockState = { readonly isOnline: boolean; readonly battery: number | null };

/**
 * A maker of locks. A call that fails throws {@link VendorFailure}; where that `isUnknown`, only `inquire` may say what
 * became of it.
 */
export type LockVendor = {
  readonly vendor: VendorName;
  readonly medium: KeyMedium;
  readonly rules: CodeRules;
  /** There is something secret that opens the door, to be shown to the guest or written on his card. */
  readonly hasCode: boolean;
  /** A key of this lock can get another window without becoming another key. */
  changesInPlace(reach: Reach): boolean;
  /** A key of this lock can sleep and wake up as the same one. */
  canSleep(reach: Reach): boolean;
  /** Called when the vendor has no such key, or has it without showing what opens the door; never makes a second one. */
  issue(order: KeyOrder): Promise<LiveKey>;
  inquire(order: KeyOrder): Promise<KeyStanding>;
  /** Gives a key that is there the window of the order. */
  change(order: KeyOrder): Promise<LiveKey>;
  suspend(order: KeyOrder): Promise<void>;
  resume(order: KeyOrder): Promise<LiveKey>;
  /** Ends every trace of the key; one that is not there is ended. False: the lock itself has not heard of it. */
  revoke(order: KeyOrder): Promise<{ readonly confirmedByLock: boolean }>;
  inspect(place: LockPlace): Promise<LockState>;
  /** Writes the key on the card that lies on an encoder of the house. */
  encode?(order: KeyOrder, encoder: string): Promise<void>;
};

/** What went wrong, and whether it may have happened all the same. Its text names no code and no token. */
export class VendorFailure extends Error {
  readonly failure: Failure;
  readonly isUnknown: boolean;
  readonly vendorCode: string | null;
  readonly retryAfterMs: number | undefined;

  constructor(
    what: string,
    facts: {
      failure: Failure;
      isUnknown: boolean;
      vendorCode?: string | null;
      retryAfterMs?: number | undefined;
    },
    options?: ErrorOptions,
  ) {
    super(`${what}: ${facts.failure}${facts.isUnknown ? ', the outcome is unknown' : ''}`, options);
    this.name = 'VendorFailure';
    this.failure = facts.failure;
    this.isUnknown = facts.isUnknown;
    this.vendorCode = codeOf(facts.vendorCode);
    this.retryAfterMs = facts.retryAfterMs;
  }
}

/** Vendor codes as events may carry them; anything else is left out. */
function codeOf(text: string | null | undefined): string | null {
  return text !== null && text !== undefined && /^[\w.:-]{1,60}$/.test(text) ? text : null;
}
