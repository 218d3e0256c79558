import { contentOf, type Entry, hashOfContent } from './entry.ts';
import { isHash } from './merkle.ts';

/** What can be wrong with a chain. */
export const findingKinds = [
  'changed',
  'missing',
  'inserted',
  'replaced',
  'out_of_place',
  'root_differs',
  'unreadable',
] as const;
export type FindingKind = (typeof findingKinds)[number];

/** One thing that is wrong, and with which entry. */
export type Finding = {
  readonly kind: FindingKind;
  /** Place in the chain; of the first one where several entries in a row are missing. */
  readonly position: number | null;
  readonly entryId: string | null;
  /** Of the file, from 1; null when entries came from elsewhere. */
  readonly line: number | null;
  readonly text: string;
};

/** An entry as it was found; undefined when the line holds none. */
export type Found = { readonly entry: Entry | undefined; readonly line: number | null };

/** What is known of the part of a chain that was found. */
export type Bounds = {
  readonly tenantId: string;
  /** The first position that should be there, and the hash of the entry before it; null before the first of all. */
  readonly first: number;
  readonly previousHash: string | null;
  /** The last position that should be there, and its hash; undefined: whatever comes last. */
  readonly last?: { readonly position: number; readonly hash: string | null } | undefined;
};

/** What a look at the chain gives: what is wrong, and the hash at each place. */
export type Verdict = { readonly findings: readonly Finding[]; readonly hashes: ReadonlyMap<number, string> };

/** `follows`: the position of what stands before it; `place`: how many stand before it. */
type Sound = {
  readonly entry: Entry;
  readonly line: number | null;
  readonly place: number;
  readonly follows: number;
};
/** `hashes`: what the entry after it may call its hash. */
type Damaged = { readonly found: Found; readonly hashes: readonly string[] };
type Sorted = {
  readonly sound: ReadonlyMap<number, readonly Sound[]>;
  readonly damaged: ReadonlyMap<number, Damaged>;
  readonly findings: Finding[];
};

/**
 * Judges a part of a chain. An entry is sound when its hash is that of its content; what two sound entries say of each
 * other tells which one does not belong. Names every entry that was changed, taken out, put in, replaced or moved.
 */
export function verifyChain(found: readonly Found[], bounds: Bounds): Verdict {
  const sorted = sort(found, bounds);
  const chosen = choose(sorted, bounds);
  const last =
    bounds.last?.position ?? lastOf(bounds.first - 1, [...sorted.damaged.keys(), ...chosen.keys()]);
  const findings = [
    ...sorted.findings,
    ...gaps(last, { bounds, sorted, chosen }),
    ...brokenLinks(last, { bounds, sorted, chosen }),
    ...outOfPlace(chosen),
  ];
  const hashes = new Map([...chosen].map(([position, { entry }]) => [position, entry.entryHash]));
  for (const [position, damaged] of sorted.damaged) {
    const [stored] = damaged.hashes;
    if (stored !== undefined && !hashes.has(position)) hashes.set(position, stored);
  }
  return { findings: findings.sort(byPlace), hashes };
}

/** True when the content of an entry is what its hash was made of. */
export function isSound(entry: Entry): boolean {
  try {
    return hashOfContent(contentOf(entry)) === entry.entryHash && Number.isSafeInteger(entry.position);
  } catch {
    return false; // not even canonical JSON
  }
}

/** Sound entries by their positions; damaged ones by the place they stand at, right after the one before them. */
function sort(found: readonly Found[], { tenantId, first }: Bounds): Sorted {
  const sound = new Map<number, Sound[]>();
  const standing: { found: Found; place: number }[] = [];
  const findings: Finding[] = [];
  let place = first - 1;
  for (const [index, { entry, line }] of found.entries()) {
    if (entry === undefined || !isSound(entry)) {
      place += 1;
      standing.push({ found: { entry, line }, place });
    } else if (entry.tenantId !== tenantId || entry.position < first) {
      findings.push(say('inserted', { entry, line }, `entry ${entry.position} is no entry of this chain`));
    } else {
      const { position } = entry;
      sound.set(position, [...(sound.get(position) ?? []), { entry, line, place: index, follows: place }]);
      place = position;
    }
  }
  const damaged = new Map<number, Damaged>();
  for (const one of standing) {
    const { entry } = one.found;
    const at = `entry ${one.place}${entry === undefined ? '' : ` (${entry.entryId})`}`;
    const taken = sound.has(one.place) || damaged.has(one.place);
    findings.push(
      taken
        ? say('inserted', one.found, `something that is no entry stands before ${at}`, one.place)
        : say('changed', one.found, `${at} is not what its hash was made of`, one.place),
    );
    if (!taken) damaged.set(one.place, { found: one.found, hashes: hashesOf(entry) });
  }
  return { sound, damaged, findings };
}

function hashesOf(entry: Entry | undefined): string[] {
  if (entry === undefined) return [];
  const stored = isHash(entry.entryHash) ? [entry.entryHash] : [];
  try {
    return [...stored, hashOfContent(contentOf(entry))];
  } catch {
    return stored;
  }
}

/** One entry for each position: of several, the one that the entries around it speak of. */
function choose({ sound, findings }: Sorted, { last }: Bounds): Map<number, Sound> {
  const chosen = new Map<number, Sound>();
  for (const position of [...sound.keys()].sort((a, b) => a - b)) {
    const candidates = sound.get(position) ?? [];
    const isBeyond = last !== undefined && position > last.position;
    const wanted = new Set((sound.get(position + 1) ?? []).map(next => next.entry.previousHash));
    if (position === last?.position) wanted.add(last.hash);
    const before = chosen.get(position - 1)?.entry.entryHash;
    const spokenOf = candidates.filter(({ entry }) => wanted.has(entry.entryHash));
    const right = isBeyond
      ? undefined
      : (spokenOf.find(({ follows }) => follows === position - 1) ??
        spokenOf[0] ??
        candidates.find(({ entry }) => entry.previousHash === before) ??
        candidates[0]);
    for (const one of candidates)
      if (one !== right) findings.push(say('inserted', one, `entry ${position} is one too many`));
    if (right !== undefined) chosen.set(position, right);
  }
  return chosen;
}

type Parts = { bounds: Bounds; sorted: Sorted; chosen: ReadonlyMap<number, Sound> };

/** Runs of positions where nothing is. */
function gaps(last: number, { bounds, sorted, chosen }: Parts): Finding[] {
  const found: Finding[] = [];
  for (let position = bounds.first; position <= last; position += 1) {
    if (chosen.has(position) || sorted.damaged.has(position)) continue;
    const from = position;
    while (position < last && !chosen.has(position + 1) && !sorted.damaged.has(position + 1)) position += 1;
    const text =
      from === position ? `entry ${from} is missing` : `entries ${from} to ${position} are missing`;
    found.push({ kind: 'missing', position: from, entryId: null, line: null, text });
  }
  return found;
}

/**
 * Two neighbours that do not know each other: one was replaced by an entry that is sound in itself. It is the one that
 * its other neighbour does not know either.
 */
function brokenLinks(last: number, { bounds, sorted, chosen }: Parts): Finding[] {
  const found = new Map<number, Finding>();
  for (let position = bounds.first; position <= last; position += 1) {
    const here = chosen.get(position);
    const known = here && hashesBefore(position, { bounds, sorted, chosen });
    if (known === undefined || here === undefined || known.includes(here.entry.previousHash)) continue;
    if (found.has(position - 1)) continue; // it does not know what took the place of its neighbour
    const next =
      chosen.get(position + 1)?.entry.previousHash ?? (position === last ? bounds.last?.hash : null);
    const isKnown = next === here.entry.entryHash && chosen.has(position - 1);
    const blamed = isKnown ? position - 1 : position;
    const text = `entry ${blamed} is another than the one that stood there`;
    found.set(blamed, say('replaced', chosen.get(blamed) as Sound, text));
  }
  const end = chosen.get(last);
  const isOther = bounds.last !== undefined && end !== undefined && bounds.last.hash !== end.entry.entryHash;
  if (isOther && !found.has(last))
    found.set(last, say('replaced', end, `entry ${last} is another than the one that stood there`));
  return [...found.values()];
}

/** What an entry may call the hash of the one before it; undefined when nobody can say. */
function hashesBefore(
  position: number,
  { bounds, sorted, chosen }: Parts,
): readonly (string | null)[] | undefined {
  if (position === bounds.first) return [bounds.previousHash];
  const before = chosen.get(position - 1);
  if (before !== undefined) return [before.entry.entryHash];
  const hashes = sorted.damaged.get(position - 1)?.hashes ?? [];
  return hashes.length === 0 ? undefined : hashes;
}

/** Entries that stand where another should. */
function outOfPlace(chosen: ReadonlyMap<number, Sound>): Finding[] {
  const standing = [...chosen.values()].sort((a, b) => a.place - b.place);
  const ordered = [...chosen.values()].sort((a, b) => a.entry.position - b.entry.position);
  return standing.flatMap((one, index) => {
    const due = ordered[index]?.entry.position;
    const { position } = one.entry;
    return due === position ? [] : [say('out_of_place', one, `entry ${position} stands where ${due} should`)];
  });
}

function say(kind: FindingKind, { entry, line }: Found, text: string, place?: number): Finding {
  return { kind, position: place ?? entry?.position ?? null, entryId: entry?.entryId ?? null, line, text };
}

function byPlace(left: Finding, right: Finding): number {
  return (left.position ?? Number.MAX_SAFE_INTEGER) - (right.position ?? Number.MAX_SAFE_INTEGER);
}

function lastOf(least: number, positions: readonly number[]): number {
  return positions.reduce((a, b) => Math.max(a, b), least);
}
