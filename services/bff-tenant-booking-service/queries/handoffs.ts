import { and, eq, gt } from '@ghasi/db/drizzle';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import type { Id } from '@ghasi/domain-primitives/ids';
import { handoffArrivalLog } from '../tables.ts';

/** A handoff as it arrived. */
export type Arrival = {
  readonly id: Id<'bha'>;
  readonly consumerSessionId: string;
  readonly propertyId: string;
  readonly expiresAt: Date;
  readonly payload: Record<string, unknown>;
  readonly hmacSignatureFingerprint: string;
  readonly signingKeyId: string;
  readonly remoteIpHash: string;
  readonly userAgentClass: string;
};

/** Notes an arrival; one that came before under the same signature stays as it is. */
export async function noteArrival({ tx, tenantId, now }: Ctx, arrival: Arrival): Promise<void> {
  await tx
    .insert(handoffArrivalLog)
    .values({ ...arrival, tenantId, receivedAt: now })
    .onConflictDoNothing();
}

/** True for the one caller that consumed it, before its time was over. */
export async function consumeArrival(
  { tx, now }: Pick<Ctx, 'tx' | 'now'>,
  { fingerprint, draftId }: { fingerprint: string; draftId: Id<'bdr'> },
): Promise<boolean> {
  const { rowCount } = await tx
    .update(handoffArrivalLog)
    .set({ consumed: true, consumedAt: now, bookingDraftId: draftId })
    .where(
      and(
        eq(handoffArrivalLog.hmacSignatureFingerprint, fingerprint),
        eq(handoffArrivalLog.consumed, false),
        gt(handoffArrivalLog.expiresAt, now),
      ),
    );
  return rowCount === 1;
}

/** What is known of a signature that arrived: what it said, and which draft came of it. */
export async function findArrival({ tx }: Pick<Ctx, 'tx'>, fingerprint: string) {
  const { payload, consumed, bookingDraftId } = handoffArrivalLog;
  const [found] = await tx
    .select({ payload, consumed, bookingDraftId })
    .from(handoffArrivalLog)
    .where(eq(handoffArrivalLog.hmacSignatureFingerprint, fingerprint));
  return found;
}
