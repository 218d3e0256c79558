import { accepted } from '@ghasi/db/accepted';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { type Id, PLATFORM_TENANT_ID } from '@ghasi/domain-primitives/ids';
import type { AnchorMedium, DayRoot } from '../anchor.ts';
import { MerkleAnchored } from '../contract.ts';
import { merkleRoot } from '../merkle.ts';
import { dayToSeal } from '../model.ts';
import { lockChain, saveHead } from '../queries/chain.ts';
import { dayAfter, hashesOfDay, insertAnchor, insertRoot, latestRoot } from '../queries/roots.ts';

/** Puts the oldest day that is over under a root; undefined when there is none. From then on the day takes no entry. */
export async function sealDay(ctx: Ctx): Promise<DayRoot | undefined> {
  const head = await lockChain(ctx);
  const day = dayToSeal(head, ctx.now);
  if (day === undefined) return undefined;
  const [hashes, latest] = await Promise.all([hashesOfDay(ctx.tx, day), latestRoot(ctx.tx)]);
  const [first, last] = [hashes[0], hashes.at(-1)];
  if (first === undefined || last === undefined) throw new Error(`the entries of ${day} are gone`);
  const root: DayRoot = {
    day,
    firstPosition: first.position,
    lastPosition: last.position,
    rootHash: merkleRoot(hashes.map(({ hash }) => hash)),
    previousRootHash: latest?.rootHash ?? null,
  };
  insertRoot(ctx, root);
  saveHead(ctx, { sealedDay: day, openDay: await dayAfter(ctx.tx, last.position) });
  return root;
}

/** Writes down that a medium keeps a root, and tells it. */
export async function noteAnchor(
  ctx: Ctx,
  { root, medium, reference }: { root: DayRoot; medium: AnchorMedium['medium']; reference: string },
) {
  const anchorId: Id<'anc'> = ctx.newId('anc');
  const isNew = await insertAnchor(ctx, { id: anchorId, day: root.day, medium, reference });
  const isTold = ctx.tenantId !== PLATFORM_TENANT_ID || MerkleAnchored.platform;
  const anchored = MerkleAnchored.from({ anchorId, ...root, medium, reference }, { aggregateVersion: 1 });
  return accepted(isNew, isNew && isTold ? [anchored] : []);
}
