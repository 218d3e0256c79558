import { canonicalJson } from '@ghasi/domain-primitives/canonical-json';
import type { Entry } from './entry.ts';
import { type MerklePath, merkleRoot, rootByPath } from './merkle.ts';
import { type Bounds, type Finding, type Found, isSound, verifyChain } from './verify-chain.ts';

/** First line of every part of an export: which entries follow. */
export type ExportHeader = {
  readonly kind: 'header';
  readonly format: 'melmastoon-audit-export';
  readonly version: 1;
  readonly tenantId: string;
  readonly firstPosition: number;
  /** Of the entry before the first one of this part. */
  readonly previousHash: string | null;
  readonly lastPosition: number;
  readonly lastHash: string | null;
  /** How long the chain was at that moment: an export may come in several parts. */
  readonly chainLength: number;
  readonly exportedAt: string;
};

/** The root over the entries of a day, and who else keeps it. */
export type ExportedRoot = {
  readonly kind: 'root';
  readonly day: string;
  readonly firstPosition: number;
  readonly lastPosition: number;
  readonly rootHash: string;
  readonly previousRootHash: string | null;
  readonly anchors: readonly { readonly medium: string; readonly reference: string }[];
};

/** An entry as a line of an export. */
export type ExportedEntry = Entry & { readonly kind: 'entry' };

/** What became of a verification; intact when there are no findings. */
export type Verification = {
  readonly tenantId: string | null;
  readonly entries: number;
  /** Days whose root was computed anew and compared. */
  readonly roots: number;
  readonly findings: readonly Finding[];
};

/** A line of an export. */
export function exportLine(record: ExportHeader | ExportedEntry | ExportedRoot): string {
  return `${canonicalJson(record)}\n`;
}

/**
 * Verifies an export without asking anybody: one part, or all parts of a chain one after the other in one file. Names
 * each entry that was changed, taken out, put in or moved. Roots are compared with those in the file; that they are the
 * ones that were anchored must be looked up where the file says they are kept.
 */
export function verifyExport(text: string): Verification {
  const file = readExport(text);
  const [opening] = file.headers;
  if (opening === undefined)
    return { tenantId: null, entries: 0, roots: 0, findings: [unreadable(1, 'the file has no header')] };
  const closing = file.headers.reduce((a, b) => (b.lastPosition > a.lastPosition ? b : a));
  const bounds: Bounds = {
    tenantId: opening.tenantId,
    first: opening.firstPosition,
    previousHash: opening.previousHash,
    last: { position: closing.lastPosition, hash: closing.lastHash },
  };
  const { findings, hashes } = verifyChain(file.found, bounds);
  const days = file.roots.map(root => differenceOf(root, hashes));
  return {
    tenantId: opening.tenantId,
    entries: file.found.length,
    roots: days.filter(day => day !== 'incomplete').length,
    findings: [
      ...findings,
      ...days.filter(day => typeof day === 'object'),
      ...brokenRootLinks(file.roots),
      ...file.findings,
    ],
  };
}

/** Everything that shows that one entry was recorded, under 5 KB: give it to a third party with the entry's note, if any. */
export type EntryProof = {
  readonly entry: Entry;
  readonly root: Omit<ExportedRoot, 'kind'>;
  readonly path: MerklePath;
};

/** True when the entry is what it was and lies under the root; that the root was anchored is looked up at its medium. */
export function verifyProof({ entry, root, path }: EntryProof): boolean {
  const isAtPlace = entry.position === root.firstPosition + path.index;
  const isWhole = path.size === root.lastPosition - root.firstPosition + 1;
  return isAtPlace && isWhole && isSound(entry) && rootByPath(entry.entryHash, path) === root.rootHash;
}

/** Compares a day with its root; `incomplete` when the hashes are not all there. */
export function differenceOf(
  root: Omit<ExportedRoot, 'kind' | 'anchors'>,
  hashes: ReadonlyMap<number, string>,
): Finding | 'same' | 'incomplete' {
  const own: string[] = [];
  for (let position = root.firstPosition; position <= root.lastPosition; position += 1) {
    const hash = hashes.get(position);
    if (hash === undefined) return 'incomplete';
    own.push(hash);
  }
  if (own.length > 0 && merkleRoot(own) === root.rootHash) return 'same';
  return {
    kind: 'root_differs',
    position: root.firstPosition,
    entryId: null,
    line: null,
    text: `the entries of ${root.day} do not make the root of that day`,
  };
}

type ExportFile = {
  headers: ExportHeader[];
  found: Found[];
  roots: ExportedRoot[];
  findings: Finding[];
};

type Section = (ExportHeader | ExportedEntry | ExportedRoot)['kind'];

function readExport(text: string): ExportFile {
  const file: ExportFile = { headers: [], found: [], roots: [], findings: [] };
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  let section: Section = 'header';
  for (const [index, line] of lines.entries()) {
    const record = readLine(line);
    // What cannot be read was most likely one more of its kind; after a header come entries.
    const kind: Section = record?.kind ?? (section === 'root' ? 'root' : 'entry');
    section = kind;
    if (record?.kind === 'header') file.headers.push(record);
    else if (record?.kind === 'root') file.roots.push(record);
    else if (kind === 'entry') file.found.push({ entry: entryOf(record), line: index + 1 });
    else file.findings.push(unreadable(index + 1, 'the line is none of an export'));
  }
  return file;
}

function entryOf(record: ExportHeader | ExportedEntry | ExportedRoot | undefined): Entry | undefined {
  if (record?.kind !== 'entry') return undefined;
  const { kind: _, ...entry } = record;
  return entry;
}

/** A line is canonical JSON: one that is not was touched, whatever it says. */
function readLine(line: string): ExportHeader | ExportedEntry | ExportedRoot | undefined {
  try {
    const value = JSON.parse(line) as ExportHeader | ExportedEntry | ExportedRoot;
    const isOurs = ['header', 'entry', 'root'].includes(value?.kind) && canonicalJson(value) === line;
    return isOurs ? value : undefined;
  } catch {
    return undefined;
  }
}

function brokenRootLinks(roots: readonly ExportedRoot[]): Finding[] {
  return roots.flatMap((root, index) => {
    const before = roots[index - 1];
    if (before === undefined || before.rootHash === root.previousRootHash) return [];
    const text = `the root of ${root.day} does not follow that of ${before.day}`;
    return [{ kind: 'root_differs', position: root.firstPosition, entryId: null, line: null, text } as const];
  });
}

function unreadable(line: number, text: string): Finding {
  return { kind: 'unreadable', position: null, entryId: null, line, text };
}
