import { type Answer, answer } from '@ghasi/backbone/question';
import { tenantTransaction } from '@ghasi/db/tenant-transaction';
import { consume } from './commands/step-up.ts';
import { verifyAccess as verify } from './commands/verify-access.ts';
import { consumeAttestation, verifyAccess } from './contract.ts';
import type { Iam } from './iam.ts';

/** What iam answers to other services. */
export function iamAnswers(iam: Iam): Answer[] {
  return [
    answer(verifyAccess, (ctx, input) => verify(iam, ctx, input)),
    answer(consumeAttestation, async ({ db, log }, { tenantId, sessionId, attestationId, ...confirmed }) => {
      const who = { tenantId, actor: { type: 'service', id: 'iam' }, now: iam.now(), log } as const;
      const which = { attestationId, sessionId, confirmed };
      return { consumed: await tenantTransaction(db, who, ctx => consume(ctx, which)) };
    }),
  ];
}
