import type { LoadFigures } from './open-loop.ts';
import type { ServerFigures } from './server-watch.ts';

/** What became of the bookings once all was quiet. */
export type Bookings = { confirmed: number; failed: number; open: number };

/** Everything a run found out. */
export type PeakFigures = {
  at: string;
  rate: number;
  seconds: number;
  load: LoadFigures;
  server: ServerFigures;
  bookings: Bookings;
  /** Percent of one core; `rest` is everything else on the machine, the generator too. */
  processor: { shares: Record<string, number>; rest: number; generator: number };
};

/** One target and what was seen. */
export type Judged = { what: string; target: string; seen: string; met: boolean };

/**
 * Families of keys that guests read. `slug` is left out: every request reads it and nearly none misses, so it would make
 * any ratio look good.
 */
export const judgedCaches = ['tenant-bootstrap', 'availability', 'cheapest'] as const;

/** Compares a run with the targets of the booking site; nothing looked at is nothing met. */
export function judge({ load, server, bookings, rate, seconds }: PeakFigures): Judged[] {
  const { all, cachedReads, byKind } = load;
  const ratio = hitRatio(judgedCaches.map(family => server.caches[family]));
  const wrote = byKind.draft.sent > 0 && byKind.confirm.sent > 0 && bookings.confirmed > 0;
  const looked = server.looks >= seconds / 4; // every two seconds, less on a busy machine
  const { pool, outboxLagSeconds } = server;
  return [
    {
      what: 'answers per second',
      target: `${rate}, of every kind`,
      seen: `${load.perSecond.toFixed(1)}, ${bookings.confirmed} bookings made`,
      met: load.perSecond >= rate * 0.98 && wrote,
    },
    { what: 'errors', target: 'none', seen: String(all.errors), met: all.sent > 0 && all.errors === 0 },
    {
      what: 'p95 of cached reads',
      target: 'under 150 ms',
      seen: `${cachedReads.p95.toFixed(1)} ms`,
      met: cachedReads.sent > 0 && cachedReads.p95 < 150,
    },
    {
      what: 'pool exhaustion',
      target: 'none',
      seen: `${pool.exhausted} of ${pool.asked}, longest wait under ${(pool.longestWaitSeconds * 1_000).toFixed(0)} ms`,
      met: pool.asked > 0 && pool.exhausted === 0 && pool.longestWaitSeconds <= 5,
    },
    {
      what: 'outbox lag',
      target: 'under 5 s',
      seen: `${outboxLagSeconds.toFixed(2)} s`,
      met: looked && outboxLagSeconds < 5,
    },
    {
      what: 'cache hit ratio',
      target: 'over 80 %',
      seen: `${(ratio * 100).toFixed(1)} %`,
      met: ratio > 0.8,
    },
    {
      what: 'bookings still open',
      target: 'none',
      seen: String(bookings.open),
      met: bookings.open === 0,
    },
  ];
}

/** Reads answered from a cache, of all; 0 where nothing was read. */
export function hitRatio(families: readonly ({ hits: number; misses: number } | undefined)[]): number {
  const sum = (of: 'hits' | 'misses') => families.reduce((total, one) => total + (one?.[of] ?? 0), 0);
  const reads = sum('hits') + sum('misses');
  return reads === 0 ? 0 : sum('hits') / reads;
}
