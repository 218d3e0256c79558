import type { Ctx } from '@ghasi/db/tenant-transaction';
import type { EventType, PendingEvent } from '@ghasi/event-envelope/define-event';
import type { EventEnvelope } from '@ghasi/event-envelope/envelope';

/** What a reaction gives back: the events it caused, or nothing. `noop` says that it looked and had nothing to do. */
// biome-ignore lint/suspicious/noConfusingVoidType: a handler that returns nothing has the type void
export type ReactionResult = readonly PendingEvent[] | 'noop' | undefined | void;

/** What happens in a service when another's event arrives. Runs in one transaction with its inbox row and its events. */
export type Reaction<P = unknown> = {
  readonly event: EventType<P>;
  handle(ctx: Ctx, payload: P, envelope: EventEnvelope<P>): Promise<ReactionResult> | ReactionResult;
};

/** Declares a reaction: `on(BookingConfirmed, allocateRoom)`. */
export function on<P>(
  event: EventType<P>,
  handle: (ctx: Ctx, payload: P, envelope: EventEnvelope<P>) => Promise<ReactionResult> | ReactionResult,
): Reaction<P> {
  return { event, handle };
}
