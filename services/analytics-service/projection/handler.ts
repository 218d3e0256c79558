import type { Ctx } from '@ghasi/db/tenant-transaction';
import type { LocalDate } from '@ghasi/domain-primitives/local-date';
import type { PendingEvent } from '@ghasi/event-envelope/define-event';

/**
 * Days `[from, until)` of which something changed; null is since ever, or for ever. With `at` it is the day of that moment,
 * whichever day that turns out to be when the numbers are computed.
 */
export type Days = {
  readonly from: LocalDate | null;
  readonly until: LocalDate | null;
  readonly at?: Date | null;
  /** What it was that changed: the same thing that changes again before it is computed is one change. */
  readonly subject?: string;
};

/** A noted change. `topic` says what kind of thing it was: handlers leave alone what does not concern them. */
export type Change = Days & { readonly topic: string };

/** What a handler is to do: days that changed, and how far what it reads reaches for certain (PROJ-09). */
export type Work = {
  readonly scopeId: string;
  readonly watermark: number;
  readonly changes: readonly Change[];
};

/** Computes one kind of rows. It has its own checkpoint; its failure is nobody else's (PROJ-06, PROJ-07). */
export type Handler = {
  /** Stored with its checkpoint, so it is for ever. */
  readonly name: string;
  /** Raise it when rows must be computed anew because the code changed. */
  readonly version: number;
  readonly topics: readonly string[];
  /** Handlers whose rows it reads: it never goes further than they have come. They stand before it in the list. */
  readonly needs?: readonly string[];
  /** Sets the rows of the changed days, with `work.watermark`; may be run again for days it has done. */
  compute(ctx: Ctx, work: Work): Promise<readonly PendingEvent[]>;
};

/** The handlers of a service. Its schema has the tables `watermarks`, `changes` and `checkpoints`. */
export type Projection = {
  readonly schema: string;
  readonly handlers: readonly Handler[];
  /** A statement of a handler that takes longer has failed. Default 8 s. */
  readonly timeoutMs?: number;
};

/** All there is: for a handler whose code changed. */
export const everything: Days = { from: null, until: null };
