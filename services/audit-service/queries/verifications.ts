import { desc, eq } from '@ghasi/db/drizzle';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { coreErrors } from '@ghasi/domain-primitives/errors';
import type { z } from 'zod';
import type { verificationView } from '../contract/resources.ts';
import { verifications } from '../tables.ts';

type Tx = Ctx['tx'];
type Row = typeof verifications.$inferSelect;

/** How far a verification is. */
export type VerificationView = z.output<typeof verificationView>;

/** A verification; one of another tenant is not found. */
export async function readVerification(tx: Tx, id: string): Promise<VerificationView> {
  const [found] = await tx.select().from(verifications).where(eq(verifications.id, id));
  if (found === undefined) throw coreErrors.NOT_FOUND({ entity: 'Verification' });
  return fromRow(found);
}

/** The latest ones first. */
export async function listVerifications(tx: Tx, limit: number): Promise<VerificationView[]> {
  const found = await tx.select().from(verifications).orderBy(desc(verifications.askedAt)).limit(limit);
  return found.map(fromRow);
}

export async function insertVerification(
  { tx, tenantId, now }: Pick<Ctx, 'tx' | 'tenantId' | 'now'>,
  asked: Pick<Row, 'id' | 'askedBy' | 'lastPosition'>,
): Promise<void> {
  await tx.insert(verifications).values({ ...asked, tenantId, askedAt: now, status: 'waiting' });
}

/** Writes down how far it is. */
export async function saveProgress(
  tx: Tx,
  id: string,
  progress: Partial<
    Pick<Row, 'status' | 'lastPosition' | 'checkedTo' | 'rootsChecked' | 'findings' | 'endedAt'>
  >,
): Promise<void> {
  await tx.update(verifications).set(progress).where(eq(verifications.id, id));
}

function fromRow({ tenantId: _, askedAt, endedAt, ...row }: Row): VerificationView {
  return { ...row, askedAt: askedAt.toISOString(), endedAt: endedAt?.toISOString() ?? null };
}
