import type { Database } from '@ghasi/db/database';
import { sendAlone } from '@ghasi/db/send';
import { failpoint } from '@ghasi/domain-primitives/failpoint';
import { escapeIdentifier } from 'pg';
import { Holes } from './holes.ts';
import type { Publication, PublishedGroup, PublishObserver } from './observe-published.ts';
import type { PublishedEvent } from './observe-trace.ts';

/** Rows of one pass (OUTBOX-26). */
export const MOST = 256;
/** A tenant with more rows than this waits its turn. */
const FEW = 64;
/** As in `outbox_move`. */
const MOST_OTHERS = 5_000;
/** So many missing numbers are looked for again in each pass, before it asks who else may have moved them. */
export const FEW_HOLES = 32;
/** So many rows that nobody expects are found by one look. */
const MOST_STRAGGLERS = 1_000;
/** So often a mover looks for what it does not expect. */
export const FULL_LOOK_MS = 60_000;

/** What a mover may be given. */
export type MoverOptions = {
  readonly observer?: PublishObserver | undefined;
  /** What the other processes are told once there is something in the log. */
  readonly wake?: string | undefined;
  /** How often it looks for what it does not expect. */
  readonly lookMs?: number | undefined;
};

/**
 * Moves one outbox into the log. It takes the unpublished set, never a cursor alone: numbers are drawn before they
 * commit, so it remembers the holes it passed and looks at them again until no transaction that could fill them runs.
 * That is also why a pass stays fast while an old snapshot keeps dead rows in the index: it never walks over them.
 */
export class Mover {
  readonly schema: string;
  readonly #db: Database;
  readonly #move: string;
  readonly #look: string;
  readonly #observer: PublishObserver | undefined;
  readonly #wake: string | undefined;
  readonly #lookMs: number;
  /** The highest number seen. */
  #after: number | undefined;
  readonly #holes = new Holes();
  /** Numbers above the highest one seen that were moved already. */
  readonly #ahead = new Set<number>();
  /** Up to here in the log it knows which numbers were moved, by whomever. */
  #knownOff: number | undefined;
  /** Until transactions older than this have ended, a pass looks from the very beginning. */
  #beganAt: bigint | undefined;
  #settled = false;
  #lastLook = performance.now();

  constructor(db: Database, schema: string, { observer, wake, lookMs = FULL_LOOK_MS }: MoverOptions = {}) {
    this.#lookMs = lookMs;
    this.#db = db;
    this.schema = schema;
    this.#observer = observer;
    this.#wake = wake;
    const name = escapeIdentifier(schema);
    this.#move = `select m.moved::float8[] as moved, m.own_off::float8 as "ownOff", m.topics, m.tenant_ids as tenants,
             m.appended, m.published, m.traces, m.oldest::text as oldest, m.next::text as next, m.others::float8[] as others,
             m.others_off::float8 as "othersOff", m.busy
      from ${name}.outbox_move($1, $2, $3, $4, $5, $6, $7, $8) m`;
    this.#look = `select seq::float8 as seq from ${name}.outbox where seq <= $1 order by seq limit ${MOST_STRAGGLERS}`;
  }

  /** The highest number it has seen. */
  get seen(): number {
    return this.#after ?? 0;
  }

  /** Numbers below it that may still appear. */
  get holes(): Holes {
    return this.#holes;
  }

  /** True while rows may appear below what it has seen; where it has seen nothing, every row is above. */
  get hasHoles(): boolean {
    return this.#holes.size > 0 || (this.#after !== undefined && !this.#settled);
  }

  /** One pass; returns how many rows it moved. Several movers at once are safe: they wait for each other. */
  async pass(): Promise<number> {
    return (await this.#pass(MOST, true)) as number;
  }

  /** Like `pass` with at most so many rows, but leaves it to another mover that is at it: then undefined. */
  passUnlessBusy(most: number): Promise<number | undefined> {
    return this.#pass(most, false);
  }

  async #pass(most: number, patient: boolean): Promise<number | undefined> {
    await failpoint('relay.before-move');
    if (performance.now() - this.#lastLook > this.#lookMs) this.#lookForStragglers();
    const sinceOff = this.#holes.size > FEW_HOLES ? this.#knownOff : undefined;
    const found = await this.#take([...this.#unseen(), most, null], sinceOff, patient);
    if (found.busy) return undefined;
    const moved = found.moved ?? [];
    this.#remember(moved, found, { most, sinceOff });
    await failpoint('relay.after-move');
    return moved.length;
  }

  /** Moves what these tenants have waiting, ahead of everybody else's; not of one that has a lot itself. */
  async passOf(tenants: readonly string[]): Promise<number> {
    const found = await this.#take([...this.#unseen(), FEW, tenants], undefined, true);
    for (const seq of found.moved ?? []) {
      this.#holes.delete(seq);
      if (seq > this.seen) this.#ahead.add(seq);
    }
    return found.moved?.length ?? 0;
  }

  /** Where rows can be: above a number, and in holes below it. */
  #unseen(): [after: number | undefined, holes: string] {
    return this.#settled ? [this.#after, `${this.#holes}`] : [0, '{}'];
  }

  async #take(values: unknown[], sinceOff: number | undefined, patient: boolean): Promise<Moved> {
    const traced = this.#observer?.wantsEvents ?? false;
    const [found] = await this.#query<Moved>(this.#move, [...values, traced, sinceOff, this.#wake, patient]);
    if (this.#observer !== undefined && found?.moved) this.#observer.published(publicationOf(found));
    return found as Moved;
  }

  #remember(
    moved: readonly number[],
    found: Moved,
    { most, sinceOff }: { most: number; sinceOff: number | undefined },
  ): void {
    const oldest = BigInt(found.oldest);
    // Above the number of every transaction that ran when the rows were looked at; not every pass knows it.
    const next = found.next === null ? undefined : BigInt(found.next);
    // A full pass may have left rows below what was seen before: of a late transaction with more events than a pass takes.
    const sawAll = moved.length < most || (moved.at(-1) as number) > this.seen;
    for (const seq of [...moved, ...(found.others ?? [])]) this.#holes.delete(seq);
    for (const seq of found.others ?? []) if (seq > this.seen) this.#ahead.add(seq);
    if (sawAll) this.#holes.settle(oldest, next);
    for (const seq of moved) this.#passOver((this.#after ?? seq - 1) + 1, seq, next);
    while (this.#ahead.delete(this.seen + 1)) this.#after = this.seen + 1;
    this.#learnOff(found, sinceOff);
    if (this.#after === undefined || this.#settled) return;
    this.#beganAt ??= next;
    this.#settled = sawAll && this.#beganAt !== undefined && oldest >= this.#beganAt;
  }

  /** Everything from `from` up to a number that was moved was looked at; what is missing there is a hole. */
  #passOver(from: number, moved: number, next: bigint | undefined): void {
    if (moved < from) return;
    let start = from;
    if (this.#ahead.size > 0)
      for (let seq = from; seq < moved; seq++) {
        if (!this.#ahead.delete(seq)) continue;
        this.#holes.add(start, seq - 1, next);
        start = seq + 1;
      }
    this.#holes.add(start, moved - 1, next);
    this.#after = moved;
  }

  /**
   * Other movers' rows look like holes, and while some transaction stays open for minutes no hole is given up: without
   * this, passes took 70 ms after 75,000 events by four relays (measured).
   */
  #learnOff({ others, othersOff, ownOff }: Moved, sinceOff: number | undefined): void {
    const known = this.#knownOff;
    if (others?.length === MOST_OTHERS) this.#knownOff = othersOff ?? known;
    else if (sinceOff !== undefined) this.#knownOff = Math.max(sinceOff, othersOff ?? 0, ownOff ?? 0);
    else if (known === undefined || this.#holes.size === 0) this.#knownOff = ownOff ?? known;
  }

  /**
   * Whatever somebody wrote in a way we did not think of is found here, within a minute. Beside the passes, which need not wait
   * for it: with a snapshot held open or after a flood it walks over dead rows (50 ms after 100,000 events, measured).
   */
  #lookForStragglers(): void {
    this.#lastLook = performance.now();
    if (!this.#settled) return;
    this.#query<{ seq: number }>(this.#look, [this.#after]).then(
      found => {
        for (const { seq } of found) if (!this.#holes.has(seq)) this.#holes.add(seq, seq, undefined);
        if (found.length === MOST_STRAGGLERS) this.#lastLook = Number.NEGATIVE_INFINITY; // there are more
      },
      () => {}, // whoever cannot reach the database is told so by the pass
    );
  }

  async #query<Row>(text: string, values: unknown[]): Promise<Row[]> {
    return (await sendAlone(this.#db.pool, text, values)).rows as Row[];
  }
}

type Moved = {
  moved: number[] | null;
  ownOff: number | null;
  topics: string[];
  tenants: string[];
  /** Milliseconds since 1970, by the database's clock. */
  appended: number[];
  published: number;
  traces: (string | null)[];
  oldest: string;
  next: string | null;
  others: number[] | null;
  othersOff: number | null;
  busy: boolean | null;
};

/** What was published by topic and tenant, and one by one where it was asked for. */
function publicationOf({ topics, tenants, appended, published, traces }: Moved): Publication {
  const groups = new Map<string, PublishedGroup & { count: number; waitSeconds: number }>();
  const events: PublishedEvent[] = [];
  for (const [index, topic] of topics.entries()) {
    const tenantId = tenants[index] as string;
    const appendedMs = appended[index] as number;
    const key = `${topic} ${tenantId}`;
    const group = groups.get(key) ?? { topic, tenantId, count: 0, waitSeconds: 0 };
    groups.set(key, group);
    group.count++;
    group.waitSeconds += ((published - appendedMs) / 1000 - group.waitSeconds) / group.count;
    const [eventId, traceparent] = traces[index]?.split(' ') ?? [];
    if (eventId !== undefined && traceparent !== undefined)
      events.push({ topic, eventId, traceparent, appendedMs, publishedMs: published });
  }
  return { groups: [...groups.values()], events };
}
