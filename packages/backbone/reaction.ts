import type { Ctx } from '@ghasi/db/tenant-transaction';
import type { EventType, PendingEvent } from '@ghasi/event-envelope/define-event';
import type { EventEnvelope } from '@ghasi/event-envelope/envelope';

/** What a reaction gives back: the events it caused, or nothing. `noop` says that it looked and had nothing to do. */
// biome-ignore lint/suspicious/noConfusingVoidType: a handler that returns nothing has the type void
export type ReactionResult = readonly PendingEvent[] | 'noop' | undefined | void;

/**
 * What happens in a service when another's event arrives. Runs in one transaction with its inbox row and its events. It may run
 * more than once, also for a message it has dealt with, and what it wrote is then undone: nothing outside of `ctx` may change.
 */
export type Reaction<P = unknown> = {
  readonly event: EventType<P>;
  handle(ctx: Ctx, payload: P, envelope: EventEnvelope<P>): Promise<ReactionResult> | ReactionResult;
  /** Takes several new messages of one tenant at once, oldest first. */
  handleMany?(ctx: Ctx, messages: readonly Received<P>[]): Promise<ManyResult> | ManyResult;
};

/** A message as `onMany` gets it. */
export type Received<P> = { readonly payload: P; readonly envelope: EventEnvelope<P> };

/** The events it caused, each with its own `causedBy`, or nothing. */
// biome-ignore lint/suspicious/noConfusingVoidType: a handler that returns nothing has the type void
export type ManyResult = readonly PendingEvent[] | undefined | void;

/** Declares a reaction: `on(BookingConfirmed, allocateRoom)`. */
export function on<P>(
  event: EventType<P>,
  handle: (ctx: Ctx, payload: P, envelope: EventEnvelope<P>) => Promise<ReactionResult> | ReactionResult,
): Reaction<P> {
  return { event, handle };
}

/**
 * Declares a reaction that takes messages by the batch, e.g. a projection that writes them with one statement
 * (measured: several times as many per second). When it throws, the batch is handled again one message at a time.
 */
export function onMany<P>(
  event: EventType<P>,
  handleMany: (ctx: Ctx, messages: readonly Received<P>[]) => Promise<ManyResult> | ManyResult,
): Reaction<P> {
  return { event, handleMany, handle: (ctx, payload, envelope) => handleMany(ctx, [{ payload, envelope }]) };
}
