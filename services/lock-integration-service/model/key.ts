import { isSameWindow, type Window } from './windows.ts';

/** What others know of a key. `ready`: it is at the vendor and sealed here, and nobody was told. */
export const keyStatuses = ['wanted', 'ready', 'issued', 'suspended', 'revoked'] as const;
export type KeyStatus = (typeof keyStatuses)[number];

/** What should become of it. */
export const wishes = ['live', 'asleep', 'gone'] as const;
export type Wish = (typeof wishes)[number];

/** What the vendor has. `unknown`: asked before anything else is done; `by_hand`: a person made it, nobody is called. */
export const whereabouts = ['absent', 'unknown', 'live', 'asleep', 'gone', 'by_hand'] as const;
export type Whereabouts = (typeof whereabouts)[number];

/** What a vendor can be asked to do. */
export const steps = ['inquire', 'issue', 'change', 'suspend', 'resume', 'revoke'] as const;
export type Step = (typeof steps)[number];

/** A key as far as its life goes. */
export type KeyLife = {
  readonly status: KeyStatus;
  readonly wish: Wish;
  readonly atVendor: Whereabouts;
  /** When it should open. */
  readonly window: Window;
  /** When it opens, as the vendor has it; null: it has none. */
  readonly held: Window | null;
  /** When others think it opens; null: nobody was told. */
  readonly told: Window | null;
  /** What opens the door is known here, or needs not be. */
  readonly isUsable: boolean;
  /** Others are told as soon as it opens. */
  readonly announce: boolean;
};

/** The next thing to do at the vendor, or nothing. What is unknown is asked first: no second code for a lost answer. */
export function nextStep(key: KeyLife, { canSleep }: { readonly canSleep: boolean }): Step | undefined {
  const { wish, atVendor, held, window } = key;
  if (atVendor === 'by_hand') return undefined;
  if (atVendor === 'unknown') return 'inquire';
  if (wish === 'gone') return atVendor === 'live' || atVendor === 'asleep' ? 'revoke' : undefined;
  if (wish === 'asleep') return atVendor === 'live' ? (canSleep ? 'suspend' : 'revoke') : undefined;
  if (atVendor === 'absent' || atVendor === 'gone') return 'issue';
  if (atVendor === 'asleep') return 'resume';
  if (!key.isUsable) return 'issue';
  return held !== null && isSameWindow(held, window) ? undefined : 'change';
}

/** What others hear of. */
export type Fact = 'issued' | 'dates_changed' | 'suspension_lifted' | 'suspended' | 'revoked';

/** What a key is called now that something happened to it, and what others should know. */
export type Conclusion = { readonly status: KeyStatus; readonly fact: Fact | undefined };

/** Compares what a key is with what others were told. Every change of a key ends here. */
export function conclude(key: KeyLife): Conclusion {
  const { status, wish, atVendor } = key;
  const same: Conclusion = { status, fact: undefined };
  const isNowhere = atVendor === 'absent' || atVendor === 'gone';
  const isTold = status === 'issued' || status === 'suspended';
  if (status === 'revoked') return same;
  if (wish === 'gone') {
    if (!isNowhere && atVendor !== 'by_hand') return same;
    return { status: 'revoked', fact: isTold ? 'revoked' : undefined };
  }
  if (wish === 'asleep') {
    if (status !== 'issued' || !(isNowhere || atVendor === 'asleep')) return same;
    return { status: 'suspended', fact: 'suspended' };
  }
  const opens = (atVendor === 'live' || atVendor === 'by_hand') && key.isUsable;
  if (!opens || key.held === null || !isSameWindow(key.held, key.window)) return same;
  if (status === 'wanted' && !key.announce) return { status: 'ready', fact: undefined };
  if (!isTold) return key.announce ? { status: 'issued', fact: 'issued' } : same;
  if (status === 'suspended') return { status: 'issued', fact: 'suspension_lifted' };
  const isNews = key.told !== null && !isSameWindow(key.told, key.held);
  return { status, fact: isNews ? 'dates_changed' : undefined };
}

/** What came of a step. */
export type Outcome =
  | { readonly kind: 'live'; readonly reference: string; readonly window: Window; readonly isUsable: boolean }
  | { readonly kind: 'asleep' }
  | { readonly kind: 'absent' }
  | { readonly kind: 'ended'; readonly confirmedByLock: boolean }
  /** `isUnknown`: it may have happened all the same. */
  | { readonly kind: 'failed'; readonly isUnknown: boolean };

/** What the vendor has after a step. `before`: what it had before, for a step that surely did not happen. */
export function afterStep(
  key: Pick<KeyLife, 'held' | 'isUsable'>,
  { outcome, before }: { readonly outcome: Outcome; readonly before: Whereabouts },
): Pick<KeyLife, 'atVendor' | 'held' | 'isUsable'> {
  const { held, isUsable } = key;
  switch (outcome.kind) {
    case 'live':
      return { atVendor: 'live', held: outcome.window, isUsable: outcome.isUsable };
    case 'asleep':
      return { atVendor: 'asleep', held, isUsable };
    case 'absent':
      return { atVendor: 'absent', held: null, isUsable: false };
    case 'ended':
      return { atVendor: 'gone', held: null, isUsable: false };
    case 'failed':
      return { atVendor: outcome.isUnknown ? 'unknown' : before, held, isUsable };
  }
}
