import { tenantTransaction } from '@ghasi/db/tenant-transaction';
import { payloadHash } from '@ghasi/domain-primitives/canonical-json';
import { AppError, coreErrors } from '@ghasi/domain-primitives/errors';
import { failpoint } from '@ghasi/domain-primitives/failpoint';
import type { Metrics } from '@ghasi/telemetry/metrics';
import { executeRoute, type Run, whoOf } from './execute.ts';
import { claimKey, completeKey, failKey, type KeyScope, LeaseLost } from './idempotency.ts';
import type { RawInput } from './input.ts';
import { BadReply, type Rendered, renderProblem } from './output.ts';
import type { Principal } from './principal.ts';
import type { AnyRoute } from './route.ts';

/** A run whose answer is kept under a key. `raw` is the input as sent: what the hash covers. */
export type OnceRun = Run & { schema: string; service: string; key: string; raw: RawInput; metrics: Metrics };

/**
 * Runs a mutating route so that its key has one effect and one answer (ledger IDEM-01..05): claim, commit; effect and
 * answer, commit. Whatever happens in between, the row says what the next attempt may do.
 */
export async function executeOnce(run: OnceRun): Promise<Rendered & { replayed: boolean }> {
  const who = whoOf(run);
  const scope: KeyScope = {
    schema: run.schema,
    principal: principalKey(run.principal),
    operation: operationOf(run.route),
    key: run.key,
  };
  const claim = await tenantTransaction(run.db, who, ctx => claimKey(ctx.tx, scope, requestHash(run.raw)));
  run.metrics.inc('melmastoon_idempotency_requests_total', { service: run.service, outcome: claim.kind });
  if (claim.kind === 'replayed') return { ...claim.rendered, replayed: true };
  if (claim.kind === 'in_flight') throw coreErrors.IDEMPOTENCY_IN_PROGRESS();
  if (claim.kind === 'mismatch') throw coreErrors.IDEMPOTENCY_KEY_REUSED();
  const { fence } = claim;
  try {
    await failpoint('http.claimed');
    const rendered = await executeRoute(run, async (ctx, reply) => {
      if (reply.cookies.length > 0) {
        throw new BadReply(run.route, 'cookies, which must not be stored: declare idempotency.none');
      }
      await failpoint('http.before-complete');
      ctx.write(completeKey(ctx.tx, scope, fence, reply));
      await failpoint('http.completed');
    });
    await failpoint('http.committed');
    return { ...rendered, replayed: false };
  } catch (error) {
    return await settleFailure(error).catch(reason => {
      throw reason instanceof LeaseLost ? coreErrors.IDEMPOTENCY_IN_PROGRESS() : reason;
    });
  }

  /** A refusal that the same request would meet again is an answer and is kept; anything else frees the key. */
  async function settleFailure(error: unknown): Promise<Rendered & { replayed: boolean }> {
    if (error instanceof LeaseLost) throw error;
    if (error instanceof AppError && isDeterministic(error.status)) {
      const rendered = renderProblem(error, run.facts.correlationId);
      await tenantTransaction(run.db, who, ctx => completeKey(ctx.tx, scope, fence, rendered));
      return { ...rendered, replayed: false };
    }
    await tenantTransaction(run.db, who, ctx => failKey(ctx.tx, scope, fence)).catch(reason =>
      run.log.warn({ err: reason }, 'an idempotency key could not be freed; its lease will run out instead'),
    );
    throw error;
  }
}

/** What the caller sent, as one number. A request without a body has none: canonical JSON knows no `undefined`. */
function requestHash({ body, ...rest }: RawInput): string {
  return payloadHash(body === undefined ? rest : { ...rest, body });
}

/** Refusals that depend on the moment and not on the request. */
const passing = new Set([408, 425, 429]);

function isDeterministic(status: number): boolean {
  return status >= 400 && status < 500 && !passing.has(status);
}

function principalKey(principal: Principal | undefined): string {
  return principal === undefined ? 'anonymous' : `${principal.kind}:${principal.id}`;
}

function operationOf(route: AnyRoute): string {
  return `${route.method} ${route.path}`;
}
