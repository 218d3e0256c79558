import type { EventType } from '@ghasi/event-envelope/define-event';

/** Events that are heard by nobody here, and why; beside our own and the class `hot`. */
export const leftOut: Readonly<Record<string, string>> = {
  'melmastoon.analytics.snapshot.computed.v1': 'a sum over what is recorded one by one',
  'melmastoon.property.telemetry_batch.ingested.v1': 'measurements: thousands a day, by sensors',
  'melmastoon.pricing.quote.expired.v1': 'nothing came of it: no price was agreed, no money moved',
};

/**
 * Which events are recorded: all, but for
 * - our own, which would never end (X-073);
 * - the class `hot`, which the ledger itself keeps for 30 days only: notices of machines to machines. Recording
 *   `sync.cursor.advanced` would not end either: each entry would reach the devices and move their cursors again;
 * - what {@link leftOut} names.
 *
 * So everything about money, access, keys, guests' stays, rooms, prices and tenancy is in the chain, also what is added
 * to the catalogue next year.
 */
export function isRecorded({ service, retention, subject }: EventType): boolean {
  return service !== 'audit' && retention !== 'hot' && !Object.hasOwn(leftOut, subject);
}
