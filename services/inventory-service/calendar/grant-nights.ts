import { addDays } from '@ghasi/domain-primitives/local-date';
import { type Night, spareOf } from '../model.ts';
import type { KnownBlock, Wish } from './follow-feed.ts';
import { areSame, includes, joined, type Nights, without } from './nights.ts';

/** What the house has, locked. */
export type Shelf = {
  /** Nights on which somebody else is in the room, or it is out; empty for a type. */
  readonly others: readonly Nights[];
  /** The counters of the type. */
  readonly counters: readonly Night[];
  /** The nights on which the room is one of those that are counted; a type always is. */
  readonly counted: Nights;
  /** False for a type: two blocks of it are in two rooms. */
  readonly isOneRoom: boolean;
};

/** A wish and what it got. */
export type Granted = Wish & { readonly taken: readonly Nights[]; readonly status: 'active' | 'waiting' };

/**
 * Gives blocks the nights that are free and leaves the others to wait: a portal's guest never takes a room from ours
 * (R11), and a night that is free is not sold a second time while another one is argued about. Nights that are given
 * up come free first; what a block has it keeps.
 */
export function grantNights(
  { wishes, drops }: { wishes: readonly Wish[]; drops: readonly KnownBlock[] },
  shelf: Shelf,
): Granted[] {
  const spare = new Map(shelf.counters.map(night => [night.date, spareOf(night)]));
  const move = (nights: readonly Nights[], by: number) => {
    for (const [date, left] of spare) if (includes(nights, date)) spare.set(date, left + by);
  };
  const kept = wishes.map(({ block, nights }) =>
    without(block?.taken ?? [], without(block?.taken ?? [], nights)),
  );
  const given = wishes.map(({ block }, at) => without(block?.taken ?? [], kept[at] ?? []));
  for (const nights of [...given, ...drops.map(({ taken }) => taken)]) move(counted(nights, shelf), 1);
  let occupied = joined(shelf.isOneRoom ? [...shelf.others, ...kept.flat()] : []);
  const granted = new Map<Wish, Granted>();
  for (const [at, wish] of [...wishes.entries()].sort(inOrder)) {
    const own = kept[at] ?? [];
    const full: Nights[] = [];
    for (const [date, left] of spare)
      if (left <= 0 && includes(wish.nights, date)) full.push({ from: date, until: addDays(date, 1) });
    const free = without(without(without(wish.nights, own), occupied), counted(full, shelf));
    move(counted(free, shelf), -1);
    if (shelf.isOneRoom) occupied = joined([...occupied, ...free]);
    const taken = joined([...own, ...free]);
    granted.set(wish, { ...wish, taken, status: areSame(taken, wish.nights) ? 'active' : 'waiting' });
  }
  return wishes.map(wish => granted.get(wish) as Granted);
}

/** Blocks that were there first, then by date: the same calendar gives the same answer. */
function inOrder([, a]: [number, Wish], [, b]: [number, Wish]): number {
  const key = ({ block, from, uid }: Wish) => `${block === null ? 1 : 0} ${from} ${uid}`;
  return key(a) < key(b) ? -1 : 1;
}

const counted = (nights: readonly Nights[], { counted: all }: Shelf) =>
  without(nights, without(nights, [all]));
