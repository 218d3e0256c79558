import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Entry, hashOfContent } from './entry.ts';
import { chainOf, entryAt, exportLines, headerOf, rootOf, tenantId } from './fixtures/chain.ts';
import { merklePath } from './merkle.ts';
import { type EntryProof, exportLine, verifyExport, verifyProof } from './verify.ts';

const LENGTH = 12;
const chain = chainOf(LENGTH);
const lines = exportLines(chain);
/** Line of an entry, from 0: the header is before the first. */
const place = fc.integer({ min: 1, max: LENGTH });
const named = (text: string) => verifyExport(text).findings.map(({ kind, position }) => [kind, position]);
const joined = (changed: readonly string[]) => changed.join('');

test('an export that nobody touched is intact, and says what was looked at', () => {
  expect(verifyExport(joined(lines))).toEqual({ tenantId, entries: LENGTH, roots: 1, findings: [] });
});

describe('M12, hotel rule 3.8: the verifier names the entry', () => {
  test('that had one bit of one byte flipped, wherever in its line, its end included', () => {
    fc.assert(
      fc.property(place, fc.nat(), fc.integer({ min: 0, max: 6 }), (at, where, bit) => {
        const bytes = Buffer.from(lines[at] as string);
        const index = where % bytes.length;
        bytes[index] = (bytes[index] as number) ^ (1 << bit);
        const text = joined(lines.with(at, bytes.toString('latin1')));
        const { findings } = verifyExport(text);
        expect(findings[0]).toMatchObject({ kind: 'changed', position: at, line: at + 1 });
      }),
      { numRuns: 300 },
    );
  });

  test('that was taken out, also the first and the last one', () => {
    fc.assert(
      fc.property(place, at => {
        expect(named(joined(lines.toSpliced(at, 1)))[0]).toEqual(['missing', at]);
      }),
    );
  });

  test('several that were taken out, as one run', () => {
    const text = joined(lines.toSpliced(4, 3));
    expect(verifyExport(text).findings[0]?.text).toBe('entries 4 to 6 are missing');
  });

  test('that was put in a second time', () => {
    fc.assert(
      fc.property(place, fc.integer({ min: 1, max: LENGTH + 1 }), (which, at) => {
        const { findings } = verifyExport(joined(lines.toSpliced(at, 0, lines[which] as string)));
        expect(findings).toHaveLength(1);
        expect(findings[0]).toMatchObject({ kind: 'inserted', position: which });
      }),
    );
  });

  test('that was forged, sound in itself and linked to the one before', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: LENGTH + 1 }), fc.boolean(), (at, isFirst) => {
        const forged = entryAt(at, chain[at - 2]?.entryHash ?? null, { action: 'billing.invoice.voided' });
        const line = exportLine({ kind: 'entry', ...forged });
        const { findings } = verifyExport(joined(lines.toSpliced(isFirst ? at : at + 1, 0, line)));
        expect(findings[0]).toMatchObject({ kind: 'inserted', entryId: forged.entryId });
      }),
    );
  });

  test('that was replaced by one that is sound in itself', () => {
    fc.assert(
      fc.property(place, at => {
        const forged = entryAt(at, chain[at - 2]?.entryHash ?? null, { action: 'billing.invoice.voided' });
        const text = joined(lines.with(at, exportLine({ kind: 'entry', ...forged })));
        expect(verifyExport(text).findings[0]).toMatchObject({ kind: 'replaced', entryId: forged.entryId });
      }),
    );
  });

  test('both that were swapped', () => {
    fc.assert(
      fc.property(fc.uniqueArray(place, { minLength: 2, maxLength: 2 }), ([a = 1, b = 2]) => {
        const swapped = lines.with(a, lines[b] as string).with(b, lines[a] as string);
        expect(new Set(named(joined(swapped)).map(([, position]) => position))).toEqual(new Set([a, b]));
      }),
    );
  });

  test('of another tenant', () => {
    const foreign = entryAt(5, chain[3]?.entryHash ?? null, {
      tenantId: '0193de70-0000-7000-8000-000000000200',
    });
    const text = joined(lines.toSpliced(5, 0, exportLine({ kind: 'entry', ...foreign })));
    expect(verifyExport(text).findings).toMatchObject([{ kind: 'inserted', entryId: foreign.entryId }]);
  });
});

test('a chain that was written anew from an entry on is sound in itself, and its day has another root', () => {
  const rewritten: Entry[] = chain.slice(0, 3);
  for (const { position } of chain.slice(3))
    rewritten.push(entryAt(position, rewritten.at(-1)?.entryHash ?? null));
  const entries = rewritten.map(entry => exportLine({ kind: 'entry', ...entry }));
  const text = joined([exportLine(headerOf(rewritten)), ...entries, exportLine(rootOf(chain))]);
  expect(named(text)).toEqual([['root_differs', 1]]);
});

test('an export in parts is one file: parts one after the other', () => {
  const [one, two] = [chain.slice(0, 7), chain.slice(7)];
  const parts = [one, two].map(part => exportLines(part));
  const secondRoot = exportLine({ ...rootOf(two, rootOf(one).rootHash), day: '2026-03-22' });
  const text = joined([...(parts[0] ?? []), ...(parts[1] ?? []).with(-1, secondRoot)]);
  expect(verifyExport(text)).toMatchObject({ entries: LENGTH, roots: 2, findings: [] });
  expect(named(joined(parts[1] ?? []))).toEqual([]);
  const unlinked = joined([...(parts[0] ?? []), ...(parts[1] ?? [])]);
  expect(named(unlinked)).toEqual([['root_differs', 8]]);
});

test('a file that is no export is refused, and so is a broken line among the roots', () => {
  expect(verifyExport('').findings).toMatchObject([{ kind: 'unreadable', line: 1 }]);
  expect(verifyExport('{"kind":"header"').findings).toMatchObject([{ kind: 'unreadable' }]);
  const broken = joined([...lines, 'nonsense\n']);
  expect(verifyExport(broken).findings).toMatchObject([{ kind: 'unreadable', line: lines.length + 1 }]);
});

describe('proofs', () => {
  const DAY = 100_000;
  const wide = {
    about: { type: 'a'.repeat(60), id: 'x'.repeat(200) },
    actor: { type: 'user' as const, id: 'y'.repeat(200) },
  };
  const entry = entryAt(DAY, 'ab'.repeat(32), wide);
  const hashes = Array.from({ length: DAY }, (_, n) =>
    n === DAY - 1 ? entry.entryHash : n.toString(16).padStart(64, '0'),
  );

  test('hotel rule 3.8: the proof of one entry among 100,000 of a day takes less than 5 KB', () => {
    const { kind: _, ...root } = { ...rootOf([entry]), firstPosition: 1 };
    const path = merklePath(hashes, DAY - 1);
    expect(JSON.stringify({ entry, root, path }).length).toBeLessThan(5_000);
  });

  test('a proof of something that is no hash proves nothing', () => {
    const { kind: _, ...root } = rootOf([entry]);
    const path = { index: 0, size: 1, path: ['zz'] };
    expect(verifyProof({ entry, root: { ...root, firstPosition: DAY, lastPosition: DAY }, path })).toBe(
      false,
    );
  });

  test('a proof holds for its entry and for no other content, place or root', () => {
    fc.assert(
      fc.property(place, fc.constantFrom('action', 'root', 'place', 'size'), (at, change) => {
        const { kind: _, ...root } = rootOf(chain);
        const path = merklePath(
          chain.map(({ entryHash }) => entryHash),
          at - 1,
        );
        const proof: EntryProof = { entry: chain[at - 1] as Entry, root, path };
        expect(verifyProof(proof)).toBe(true);
        expect(verifyProof(spoilt(proof, change))).toBe(false);
      }),
    );
  });
});

function spoilt(proof: EntryProof, change: 'action' | 'root' | 'place' | 'size'): EntryProof {
  const { entry, root, path } = proof;
  switch (change) {
    case 'action': {
      const { entryHash: _, ...content } = { ...entry, action: 'billing.invoice.voided' };
      return { ...proof, entry: { ...content, entryHash: hashOfContent(content) } };
    }
    case 'root':
      return { ...proof, root: { ...root, rootHash: 'ff'.repeat(32) } };
    case 'place':
      return { ...proof, path: { ...path, index: (path.index + 1) % path.size } };
    case 'size':
      return { ...proof, root: { ...root, lastPosition: root.lastPosition + 1 } };
  }
}
