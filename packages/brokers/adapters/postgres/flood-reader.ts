import type { Database } from '@ghasi/db/database';
import { type LogRow, lightPage, readTenant, WINDOW } from './log-reader.ts';

/** Rows of one tenant, and up to where the log was looked through for them. */
export type Found = { readonly rows: readonly LogRow[]; readonly upTo: number };

/** The next rows of a tenant after an offset; none above `upTo`, since the log below a reader never changes. */
export type Wish = {
  readonly tenantId: string;
  readonly after: number;
  readonly upTo: number;
  readonly topics: ReadonlySet<string>;
  readonly limit: number;
};

/** All rows of some topics of a tenant between two offsets. */
type Stretch = {
  readonly topics: ReadonlySet<string>;
  readonly from: number;
  readonly to: number;
  readonly rows: readonly LogRow[];
};

const MOST_ROWS = 4_000;
const MOST_STRETCHES = 8;
/** Characters that are kept of a tenant. */
const MOST_WEIGHT = 16 * 1_048_576;
const LAST_ROWS = 50;

/**
 * Reads what tenants that flood left in the log, for all groups of a process. These go through the same messages, a little
 * apart: the rows read last are kept for those behind, so that a row is read, parsed and its signature checked once and not
 * by each of them (five consumers drained 37,000 messages a second each for itself, 58,000 like this).
 */
export class FloodReader {
  readonly #db: Database;
  readonly #mostRows: number;
  /** By tenant; the one that grew last is the last. */
  readonly #stretches = new Map<string, Stretch>();
  readonly #reading = new Map<string, Promise<Found>>();

  /** `mostRows` are kept of a tenant. */
  constructor(db: Database, { mostRows = MOST_ROWS } = {}) {
    this.#db = db;
    this.#mostRows = mostRows;
  }

  async read(wish: Wish): Promise<Found> {
    for (;;) {
      const known = this.#known(wish);
      if (known !== undefined) return known;
      const underWay = this.#reading.get(wish.tenantId);
      if (underWay === undefined) break;
      await underWay.catch(() => {}); // another group's; perhaps it brings what we want
    }
    const reading = this.#readOn(wish).finally(() => this.#reading.delete(wish.tenantId));
    this.#reading.set(wish.tenantId, reading);
    return reading;
  }

  /** Nobody floods here any more. */
  forget(tenantId: string): void {
    this.#stretches.delete(tenantId);
  }

  forgetAll(): void {
    this.#stretches.clear();
  }

  #known({ tenantId, after, upTo, topics, limit }: Wish): Found | undefined {
    const stretch = this.#stretches.get(tenantId);
    if (stretch === undefined || after < stretch.from || after >= stretch.to) return undefined;
    if (!includesAll(stretch.topics, topics)) return undefined;
    const rows = stretch.rows.filter(({ off }) => off > after && off <= upTo);
    if (rows.length <= limit) return { rows, upTo: Math.min(upTo, stretch.to) };
    return { rows: rows.slice(0, limit), upTo: rows[limit - 1]?.off ?? after };
  }

  async #readOn(wish: Wish): Promise<Found> {
    const upTo = Math.min(wish.upTo, wish.after + WINDOW);
    const before = this.#stretches.get(wish.tenantId)?.rows.slice(-LAST_ROWS) ?? [];
    const limit = lightPage(wish.limit, before);
    const rows = await readTenant(this.#db, { ...wish, upTo, limit });
    const last = rows.length < limit ? undefined : rows.at(-1);
    const found = { rows, upTo: last?.off ?? upTo };
    this.#keep(wish, found);
    return found;
  }

  /** Behind what is kept already, a group reads for itself: the stretch goes with those in front. */
  #keep({ tenantId, topics, after }: Wish, { rows, upTo }: Found): void {
    const known = this.#stretches.get(tenantId);
    const isSame = known !== undefined && areSame(known.topics, topics);
    if (isSame && after < known.from) return;
    this.#stretches.delete(tenantId);
    const grown =
      isSame && after === known.to
        ? { ...known, rows: [...known.rows, ...rows], to: upTo }
        : { topics, from: after, to: upTo, rows };
    this.#stretches.set(tenantId, withoutOldest(grown, this.#mostRows));
    const [oldest] = this.#stretches.keys();
    if (this.#stretches.size > MOST_STRETCHES && oldest !== undefined) this.#stretches.delete(oldest);
  }
}

function withoutOldest(stretch: Stretch, mostRows: number): Stretch {
  const kept = Math.max(1, lightKeep(stretch.rows, mostRows));
  const rows = stretch.rows.slice(-kept);
  const lastDropped = stretch.rows.at(-kept - 1);
  return lastDropped === undefined ? stretch : { ...stretch, rows, from: lastDropped.off };
}

/** How many of the newest rows may be kept: so many, and no more than weigh 16 MB. */
function lightKeep(rows: readonly LogRow[], mostRows: number): number {
  let weight = 0;
  const most = Math.min(mostRows, rows.length);
  for (let kept = 0; kept < most; kept++) {
    weight += rows[rows.length - 1 - kept]?.envelope.length ?? 0;
    if (weight > MOST_WEIGHT) return kept;
  }
  return mostRows;
}

const areSame = (a: ReadonlySet<string>, b: ReadonlySet<string>) => a.size === b.size && includesAll(a, b);

function includesAll(all: ReadonlySet<string>, some: ReadonlySet<string>): boolean {
  return [...some].every(one => all.has(one));
}
