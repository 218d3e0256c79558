/** What can come too late for its folio. */
export const latePostingKinds = ['consumption', 'date_change', 'payment', 'refund'] as const;
export type LatePostingKind = (typeof latePostingKinds)[number];

/** Why it could not be posted. */
export const latePostingReasons = ['folio_closed', 'no_folio', 'other_currency'] as const;
export type LatePostingReason = (typeof latePostingReasons)[number];

/** What became of it; `taken_back`: its owner withdrew it before anybody looked. */
export const latePostingStatuses = ['waiting', 'paid_otherwise', 'written_off', 'taken_back'] as const;
