import { asc, eq } from '@ghasi/db/drizzle';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { uuid7 } from '@ghasi/domain-primitives/uuid';
import type { ActionName } from '../model/desk.ts';
import { actions } from '../tables.ts';

/** What somebody did by hand. */
export type ActionRow = typeof actions.$inferSelect;

/** How he proved who he is, as far as the request says. */
export type Proof = {
  readonly deviceId?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly attestationId?: string | undefined;
};

/** Writes down who did what (BO-37): in the same transaction as what he did. */
export async function record(
  { tx, tenantId, actor, now }: Pick<Ctx, 'tx' | 'tenantId' | 'actor' | 'now'>,
  action: ActionName,
  about: { keyId?: string; lockId?: string; reservationId?: string; proof?: Proof | undefined },
): Promise<void> {
  const { keyId, lockId, reservationId, proof } = about;
  await tx.insert(actions).values({
    tenantId,
    id: uuid7(now.getTime()),
    action,
    keyId: keyId ?? null,
    lockId: lockId ?? null,
    reservationId: reservationId ?? null,
    actorType: actor.type,
    actorId: actor.id,
    deviceId: proof?.deviceId ?? null,
    sessionId: proof?.sessionId ?? null,
    attestationId: proof?.attestationId ?? null,
    at: now,
  });
}

/** What was done with a key by hand, oldest first. */
export function actionsOf(tx: Ctx['tx'], keyId: string): Promise<ActionRow[]> {
  return tx.select().from(actions).where(eq(actions.keyId, keyId)).orderBy(asc(actions.id)).limit(200);
}
