import type { LooseJobCtx } from '@ghasi/jobs/define-job';
import { type AnchoredRoot, type AnchorMedium, recordOf } from './anchor.ts';
import { entriesAfter, hashAt } from './queries/entries.ts';
import { rootsEndingIn } from './queries/roots.ts';
import { differenceOf } from './verify.ts';
import { type Finding, verifyChain } from './verify-chain.ts';

/** Entries looked at in one transaction: short ones, and progress that can be seen. */
const CHUNK = 1_000;

/** Most findings that are kept: whoever sees a hundred knows. */
export const MOST_FINDINGS = 100;

/** How far it is after each chunk. */
export type Progress = { checkedTo: number; rootsChecked: number; findings: readonly Finding[] };

/** Which part of a chain: all up to a position, whose hash the end of the chain names. */
export type Wanted = { lastPosition: number; lastHash: string | null };

type Chunk = { findings: readonly Finding[]; hashes: ReadonlyMap<number, string>; end: number };

/**
 * Looks through the stored chain: every entry against its hash and its neighbours, the last one against the end that is
 * written down, every day against its root, and every root against what the media keep.
 */
export async function verifyStored(
  ctx: LooseJobCtx,
  media: readonly AnchorMedium[],
  wanted: Wanted,
  report: (progress: Progress) => Promise<void>,
): Promise<readonly Finding[]> {
  const found: Finding[] = [];
  const hashes = new Map<number, string>(); // of days that are not complete yet
  let [checkedTo, rootsChecked] = [0, 0];
  while (checkedTo < wanted.lastPosition && !ctx.job.signal.aborted) {
    const chunk = await readChunk(ctx, { ...wanted, after: checkedTo });
    found.push(...chunk.findings);
    for (const [position, hash] of chunk.hashes) if (position <= chunk.end) hashes.set(position, hash);
    const roots = await ctx.transaction(({ tx }) => rootsEndingIn(tx, { after: checkedTo, upTo: chunk.end }));
    for (const root of roots) {
      const difference = differenceOf(root, hashes);
      if (typeof difference === 'object') found.push(difference);
      found.push(...(await differencesAtMedia(ctx, media, root)));
      rootsChecked += 1;
      for (let at = root.firstPosition; at <= root.lastPosition; at += 1) hashes.delete(at);
    }
    checkedTo = chunk.end;
    await report({ checkedTo, rootsChecked, findings: unique(found) });
  }
  return unique(found);
}

/** Judges a chunk together with the entry after it: who was replaced shows in what its neighbours say. */
function readChunk(
  ctx: LooseJobCtx,
  { after, lastPosition, lastHash }: Wanted & { after: number },
): Promise<Chunk> {
  return ctx.transaction(async ({ tx, tenantId }) => {
    const previousHash = await hashAt(tx, after);
    const read = await entriesAfter(tx, after, CHUNK + 1);
    const entries = read.filter(({ position }) => position <= lastPosition);
    const isWhole = entries.length <= CHUNK;
    const last = isWhole ? { position: lastPosition, hash: lastHash } : undefined;
    const verdict = verifyChain(
      entries.map(entry => ({ entry, line: null })),
      { tenantId, first: after + 1, previousHash, last },
    );
    // What is said of the entry after the chunk is said again, and better, with the next one.
    const end = isWhole ? lastPosition : (entries[CHUNK - 1]?.position ?? lastPosition);
    return { ...verdict, findings: verdict.findings.filter(({ position }) => (position ?? 0) <= end), end };
  });
}

async function differencesAtMedia(
  ctx: LooseJobCtx,
  media: readonly AnchorMedium[],
  { anchors, ...root }: AnchoredRoot,
): Promise<Finding[]> {
  const differences: Finding[] = [];
  for (const { medium } of anchors) {
    const where = media.find(one => one.medium === medium);
    if (where === undefined) continue; // kept where this installation cannot look
    if ((await where.read(ctx, ctx.tenantId, root.day)) === recordOf(ctx.tenantId, root)) continue;
    const text = `the root of ${root.day} is not the one that was put into ${medium}`;
    differences.push({ kind: 'root_differs', position: root.firstPosition, entryId: null, line: null, text });
  }
  return differences;
}

/** The same finding may come from two chunks. */
function unique(found: readonly Finding[]): Finding[] {
  const byText = new Map(found.map(finding => [finding.text, finding]));
  return [...byText.values()].slice(0, MOST_FINDINGS);
}
