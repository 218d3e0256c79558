import type { Database } from '@ghasi/db/database';
import { sendPrepared } from '@ghasi/db/send';
import { failpoint } from '@ghasi/domain-primitives/failpoint';
import { escapeIdentifier } from 'pg';
import type { PublishedGroup, PublishObserver } from './observe-published.ts';
import type { PublishedEvent } from './observe-trace.ts';

/** Rows of one pass (OUTBOX-26). */
const MOST = 256;
/** As in `outbox_move`. */
const MOST_OTHERS = 5_000;
const FULL_LOOK_MS = 60_000;

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
  /** The highest number seen. */
  #after: number | undefined;
  /** Missing number → where transaction numbers stood when it was missed. */
  readonly #holes = new Map<number, bigint | undefined>();
  /** Up to here in the log it knows which numbers were moved, by whomever. */
  #knownOff: number | undefined;
  /** Until transactions older than this have ended, a pass looks from the very beginning. */
  #beganAt: bigint | undefined;
  #settled = false;
  #lastLook = Date.now();

  constructor(db: Database, schema: string, observer?: PublishObserver) {
    this.#db = db;
    this.schema = schema;
    this.#observer = observer;
    const name = escapeIdentifier(schema);
    this.#move = `select m.moved::float8[] as moved, m.oldest::text as oldest, m.next::text as next, m.groups, m.events,
             m.others::float8[] as others, m.others_off::float8 as "othersOff", m.own_off::float8 as "ownOff"
      from ${name}.outbox_move($1, $2, $3, $4, $5) m`;
    this.#look = `select seq::float8 as seq from ${name}.outbox where seq <= $1 order by seq limit 1000`;
  }

  /** The highest number it has seen. */
  get seen(): number {
    return this.#after ?? 0;
  }

  /** Numbers below it that may still appear. */
  get holes(): number[] {
    return [...this.#holes.keys()];
  }

  /** True while rows may appear below what it has seen. */
  get hasHoles(): boolean {
    return this.#holes.size > 0 || !this.#settled;
  }

  /** One pass; returns how many rows it moved. Several movers at once are safe: they wait for each other. */
  async pass(): Promise<number> {
    await failpoint('relay.before-move');
    if (Date.now() - this.#lastLook > FULL_LOOK_MS) await this.#lookForStragglers();
    const values = this.#settled ? [this.#after, this.holes, MOST] : [0, [], MOST];
    const traced = this.#observer?.wantsEvents ?? false;
    const sinceOff = this.#holes.size > 0 ? this.#knownOff : undefined;
    const found = (await this.#query<Moved>(this.#move, [...values, traced, sinceOff]))[0] as Moved;
    const moved = found.moved ?? [];
    this.#remember(moved, found, sinceOff);
    if (found.groups !== null)
      this.#observer?.published({ groups: found.groups, events: found.events ?? [] });
    await failpoint('relay.after-move');
    return moved.length;
  }

  #remember(moved: readonly number[], found: Moved, sinceOff: number | undefined): void {
    const oldest = BigInt(found.oldest);
    // Above the number of every transaction that ran when the rows were looked at; not every pass knows it.
    const next = found.next === null ? undefined : BigInt(found.next);
    // A full pass from the very beginning may have left rows below what was seen before.
    const sawAll = moved.length < MOST || (moved.at(-1) as number) > this.seen;
    const gone = found.others === null ? moved : [...moved, ...found.others].sort((a, b) => a - b);
    for (const seq of gone) this.#holes.delete(seq);
    for (const [seq, missedAt] of this.#holes) {
      if (missedAt === undefined) this.#holes.set(seq, next);
      else if (missedAt <= oldest) this.#holes.delete(seq);
    }
    for (const seq of gone) {
      for (let missing = (this.#after ?? seq) + 1; missing < seq; missing++) this.#holes.set(missing, next);
      this.#after = Math.max(this.#after ?? 0, seq);
    }
    this.#learnOff(found, sinceOff);
    if (this.#after === undefined || this.#settled) return;
    this.#beganAt ??= next;
    this.#settled = sawAll && this.#beganAt !== undefined && oldest >= this.#beganAt;
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

  /** Whatever somebody wrote in a way we did not think of is found here, within a minute and without the lock. */
  async #lookForStragglers(): Promise<void> {
    this.#lastLook = Date.now();
    if (!this.#settled) return;
    const never = 2n ** 64n;
    for (const { seq } of await this.#query<{ seq: number }>(this.#look, [this.#after]))
      this.#holes.set(seq, never);
  }

  async #query<Row>(text: string, values: unknown[]): Promise<Row[]> {
    const client = await this.#db.pool.connect();
    let broken = true;
    try {
      const { rows } = await sendPrepared(client, text, values);
      broken = false;
      return rows as Row[];
    } finally {
      client.release(broken);
    }
  }
}

type Moved = {
  moved: number[] | null;
  oldest: string;
  next: string | null;
  groups: PublishedGroup[] | null;
  events: PublishedEvent[] | null;
  others: number[] | null;
  othersOff: number | null;
  ownOff: number | null;
};
