import { accepted } from '@ghasi/db/accepted';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import type { Deed } from '../entry.ts';
import { lockChain, recordedAmong, takeArrivals } from '../queries/chain.ts';
import { appendTo } from './append.ts';

/** Gives the oldest arrivals their places in the chain; returns how many there were. An event gets one place, once. */
export async function chainArrivals(ctx: Ctx, { most }: { most: number }) {
  const [head, arrivals] = await Promise.all([lockChain(ctx), takeArrivals(ctx, most)]);
  const known = await recordedAmong(
    ctx,
    arrivals.map(({ eventId }) => eventId),
  );
  const deeds = arrivals
    .filter(({ eventId }) => !known.has(eventId))
    .map((arrival): Deed => ({ ...arrival, entryId: ctx.newId('aud'), noteHash: null }));
  const { events } = appendTo(ctx, head, deeds);
  return accepted(arrivals.length, events);
}
