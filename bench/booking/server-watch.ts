import { setTimeout as delay } from 'node:timers/promises';

/** One line of Prometheus text. */
type Sample = { name: string; labels: Readonly<Record<string, string>>; value: number };

/** Reads Prometheus text; comments and what is not a sample are left out. */
export function samplesIn(text: string): Sample[] {
  return text.split('\n').flatMap(line => {
    const found = /^([a-z_]+)(?:\{(.*)\})? (\S+)/.exec(line);
    if (found === null) return [];
    const labels = [...(found[2] ?? '').matchAll(/([a-z_]+)="([^"]*)"/g)].map(([, name, value]) => [
      name,
      value,
    ]);
    return [{ name: found[1] as string, labels: Object.fromEntries(labels), value: Number(found[3]) }];
  });
}

/** What the server said of itself while it was under load. */
export type ServerFigures = {
  /** How often it was asked; figures that nobody looked at prove nothing. */
  looks: number;
  /** By family of keys. */
  caches: Readonly<Record<string, { hits: number; misses: number }>>;
  /** Age of the oldest unpublished row ever seen, and of the oldest event that a subscription had not read. */
  outboxLagSeconds: number;
  consumerLagSeconds: number;
  pool: {
    /** Connections asked for; upper edge of the longest wait for one; callers who got none in time. */
    asked: number;
    longestWaitSeconds: number;
    exhausted: number;
    mostWaiting: number;
  };
};

const EVERY_MS = 2_000; // each look costs the server some 20 ms (from a profile)
const SERVICE = 'bff-tenant-booking-service';

/** Looks at a server's metrics every two seconds; the function it returns ends that and tells what was seen since. */
export async function watchServer(url: string): Promise<() => Promise<ServerFigures>> {
  const look = async () => samplesIn(await (await fetch(`${url}/metrics`)).text());
  const before = await look();
  const most = { outbox: 0, consumer: 0, waiting: 0 };
  const note = (samples: readonly Sample[]) => {
    most.outbox = Math.max(most.outbox, largest(samples, 'melmastoon_outbox_oldest_unpublished_seconds'));
    most.consumer = Math.max(most.consumer, largest(samples, 'melmastoon_event_consumer_lag_seconds'));
    most.waiting = Math.max(most.waiting, largest(samples, 'melmastoon_db_pool_waiting_count'));
  };
  const ended = new AbortController();
  let looks = 0;
  const watching = (async () => {
    while (!ended.signal.aborted) {
      await delay(EVERY_MS, undefined, { signal: ended.signal }).catch(() => {});
      note(await look());
      looks++;
    }
  })();
  return async () => {
    ended.abort();
    await watching;
    return figuresOf(await look(), { before, looks, most });
  };
}

type Seen = {
  before: readonly Sample[];
  looks: number;
  most: { outbox: number; consumer: number; waiting: number };
};

function figuresOf(after: readonly Sample[], { before, looks, most }: Seen): ServerFigures {
  const since = (name: string, of: (sample: Sample) => boolean = () => true) =>
    sum(after, name, of) - sum(before, name, of);
  const families = [...new Set(after.filter(isOurCache).map(({ labels }) => labels.cache ?? ''))];
  const caches = families.map(family => {
    const ours = (sample: Sample) => isOurCache(sample) && sample.labels.cache === family;
    const hits = since('melmastoon_cache_hits_total', ours);
    return [family, { hits, misses: since('melmastoon_cache_misses_total', ours) }] as const;
  });
  const wait = 'melmastoon_db_pool_wait_seconds';
  const edges = [
    ...new Set(after.filter(({ name }) => name === `${wait}_bucket`).map(({ labels }) => labels.le)),
  ];
  const asked = since(`${wait}_count`);
  const within = (edge: string | undefined) => since(`${wait}_bucket`, ({ labels }) => labels.le === edge);
  const enough = edges.map(edge => (within(edge) === asked ? edgeOf(edge) : Number.POSITIVE_INFINITY));
  return {
    looks,
    caches: Object.fromEntries(caches),
    outboxLagSeconds: most.outbox,
    consumerLagSeconds: most.consumer,
    pool: {
      asked,
      longestWaitSeconds: Math.min(...enough),
      exhausted: since('melmastoon_db_pool_exhausted_total'),
      mostWaiting: most.waiting,
    },
  };
}

function isOurCache({ name, labels }: Sample): boolean {
  return /^melmastoon_cache_(hits|misses)_total$/.test(name) && labels.service === SERVICE;
}

function edgeOf(edge: string | undefined): number {
  return edge === undefined || edge === '+Inf' ? Number.POSITIVE_INFINITY : Number(edge);
}

function sum(samples: readonly Sample[], name: string, of: (sample: Sample) => boolean): number {
  return samples.reduce((total, one) => (one.name === name && of(one) ? total + one.value : total), 0);
}

function largest(samples: readonly Sample[], name: string): number {
  return Math.max(0, ...samples.filter(one => one.name === name).map(({ value }) => value));
}
