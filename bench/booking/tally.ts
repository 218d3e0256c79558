import { cachedReads, type Kind, kinds } from './mix.ts';

/** What became of a request. A refusal that a guest must expect (the last room is gone) is no error. */
export type Outcome = 'ok' | 'refused' | 'error';

/** Refusals that say something about the hotel and not about the server. */
const expected: ReadonlySet<string> = new Set(['ROOMS_GONE', 'RESTRICTION']);

/** What an answer was; `undefined`: there was none. */
export function outcomeOf(reply: { status: number; text: string } | undefined): Outcome {
  if (reply === undefined) return 'error';
  const { status, text } = reply;
  if (status >= 200 && status < 300) return text.length > 0 ? 'ok' : 'error'; // no answer of ours is empty
  return expected.has(codeOf(text)) ? 'refused' : 'error';
}

function codeOf(text: string): string {
  try {
    return String(JSON.parse(text).code);
  } catch {
    return '';
  }
}

/** Requests of a kind; times in ms, of all that were answered. */
export type Counted = { sent: number; refused: number; errors: number } & Times;
export type Times = { p50: number; p95: number; p99: number; longest: number };

/** Keeps every time: eighteen thousand numbers are nothing, and no bucket blurs the percentile that is judged. */
export class Tally {
  readonly #times = new Map<Kind, number[]>(kinds.map(kind => [kind, []]));
  readonly #counts = new Map<Kind, Record<Outcome, number>>(
    kinds.map(kind => [kind, { ok: 0, refused: 0, error: 0 }]),
  );
  /** The first errors in words, to look at. */
  readonly errors: string[] = [];

  add(kind: Kind, outcome: Outcome, ms: number): void {
    const counts = this.#counts.get(kind);
    if (counts !== undefined) counts[outcome]++;
    this.#times.get(kind)?.push(ms);
  }

  note(error: string): void {
    if (this.errors.length < 10) this.errors.push(error);
  }

  get sent(): number {
    return [...this.#times.values()].reduce((sum, times) => sum + times.length, 0);
  }

  of(some: readonly Kind[]): Counted {
    const counts = some.map(kind => this.#counts.get(kind) ?? { ok: 0, refused: 0, error: 0 });
    const sum = (outcome: Outcome) => counts.reduce((total, one) => total + one[outcome], 0);
    const times = some.flatMap(kind => this.#times.get(kind) ?? []);
    return { sent: times.length, refused: sum('refused'), errors: sum('error'), ...timesOf(times) };
  }

  summary() {
    const byKind = Object.fromEntries(kinds.map(kind => [kind, this.of([kind])])) as Record<Kind, Counted>;
    const others = kinds.filter(kind => !cachedReads.includes(kind));
    return { byKind, cachedReads: this.of(cachedReads), others: this.of(others), all: this.of(kinds) };
  }
}

/** Percentiles by nearest rank; 0 where nothing was measured. */
export function timesOf(ms: readonly number[]): Times {
  const sorted = ms.toSorted((one, other) => one - other);
  const at = (share: number) => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99), longest: at(1) };
}
