import type { Chance } from '@melmastoon/server/demo-chance';

/** What a guest's device asks for. */
export const kinds = [
  'bootstrap',
  'calendar',
  'availability',
  'cheapest',
  'draft',
  'show draft',
  'confirm',
  'outcome',
] as const;
export type Kind = (typeof kinds)[number];

/** Answered from caches, when these have an answer. Their misses count among them: a guest cannot tell. */
export const cachedReads: readonly Kind[] = ['bootstrap', 'calendar', 'availability', 'cheapest'];

/**
 * Of a thousand requests. A visit is about eight of them: the site opens, a month is looked at, three or four searches, the
 * cheapest rates of a list. Of a hundred visits to the site of a hotel we assume that two end in a booking; here three do, and one
 * in four chooses a room, because drafts and bookings are what costs.
 */
export const mix: readonly (readonly [Kind, number])[] = [
  ['bootstrap', 220],
  ['calendar', 140],
  ['availability', 455],
  ['cheapest', 125],
  ['draft', 30],
  ['show draft', 12],
  ['confirm', 4],
  ['outcome', 14],
];

/** Stays that guests of a house look for; the first is wanted most. */
export const STAYS = 120;

/** Which of them, for how many, in which language. */
export type Search = { rank: number; adults: number; locale: string };

/** Of a stay with rank r guests ask 1/r as often as of the first (Zipf): six stays are nearly half of all searches. */
const byRank = Array.from({ length: STAYS }, (_, rank) => [rank, 1 / (rank + 1)] as const);

/** What a guest of a house that speaks these languages searches for. */
export function searchOf(chance: Chance, locales: readonly string[]): Search {
  const [own = 'en', ...others] = locales;
  const speaksOther = others.length > 0 && chance.share() < 0.3;
  return {
    rank: chance.weighted(byRank),
    adults: chance.share() < 0.75 ? 2 : 1,
    locale: speaksOther ? chance.pick(others) : own,
  };
}

/** The stay of a rank: arrivals are spread over the next twelve weeks, so that the most wanted are not neighbours. */
export function stayOf(rank: number): { inDays: number; nights: number } {
  return { inDays: 3 + ((rank * 37) % 84), nights: 1 + (rank % 3) };
}

/** When so many requests are due within a span, in ms: guests do not wait for each other, so gaps are of any length. */
export function dueTimes(chance: Chance, { count, spanMs }: { count: number; spanMs: number }): number[] {
  return Array.from({ length: count }, () => chance.share() * spanMs).sort((one, other) => one - other);
}
