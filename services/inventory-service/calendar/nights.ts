import type { LocalDate } from '@ghasi/domain-primitives/local-date';

/** Nights `[from, until)`. Lists of them are sorted and do not touch unless said otherwise. */
export type Nights = { readonly from: LocalDate; readonly until: LocalDate };

/** The same nights as a list that is sorted, without overlaps, and joined where they touch. */
export function joined(nights: readonly Nights[]): Nights[] {
  const result: Nights[] = [];
  for (const { from, until } of nights.toSorted((a, b) => (a.from < b.from ? -1 : 1))) {
    if (from >= until) continue;
    const last = result.at(-1);
    if (last === undefined || last.until < from) result.push({ from, until });
    else if (until > last.until) result[result.length - 1] = { from: last.from, until };
  }
  return result;
}

/** Nights of the first list that are not in the second. Ranges, not single nights: a range may end in the year 9999. */
export function without(nights: readonly Nights[], taken: readonly Nights[]): Nights[] {
  const cuts = joined(taken);
  const result: Nights[] = [];
  for (const { from, until } of joined(nights)) {
    let start = from;
    for (const cut of cuts) {
      if (cut.until <= start || cut.from >= until) continue;
      if (start < cut.from) result.push({ from: start, until: cut.from });
      start = cut.until;
    }
    if (start < until) result.push({ from: start, until });
  }
  return result;
}

/** The nights from a day on: what was before is over and stays as it was. */
export function since(today: LocalDate, nights: readonly Nights[]): Nights[] {
  return joined(nights.map(({ from, until }) => ({ from: from < today ? today : from, until })));
}

/** True when both lists, joined, are the same nights. */
export function areSame(one: readonly Nights[], other: readonly Nights[]): boolean {
  return without(one, other).length === 0 && without(other, one).length === 0;
}

/** True when a night is one of these. */
export function includes(nights: readonly Nights[], date: LocalDate): boolean {
  return nights.some(({ from, until }) => from <= date && date < until);
}
