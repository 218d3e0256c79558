import { inTraceOf, withSpan } from '@ghasi/telemetry/tracing';
import type { JobResult } from 'pg-boss';
import { type Claimed, type Hosted, leaseOf, openClaim } from './claim.ts';
import type { Lease } from './lease.ts';
import { type CompleteLoose, runJob } from './run-job.ts';
import { judgeFailure, outcomeOfFailure, type RunReport } from './run-report.ts';

/** What working off a claim needs from its process. */
export type Workshop = Hosted & {
  completeLoose: CompleteLoose;
  /** What has become of the job of a lost lease. */
  stateOf(lease: Lease): Promise<Claimed['state'] | undefined>;
  report(claimed: Claimed, report: RunReport): void;
};

/**
 * Runs a claimed job and answers how pg-boss must settle it. Never throws. pg-boss checks the claim again when it
 * settles, so the answer of a run that lost its lease has no effect.
 */
export async function workOff(claimed: Claimed, shop: Workshop): Promise<JobResult> {
  const end = endOnce(claimed, shop);
  const onAbort = () => void abandoned(claimed, shop).then(end);
  claimed.signal.addEventListener('abort', onAbort, { once: true });
  try {
    const claim = openClaim(claimed, shop);
    const span = { name: `job ${claim.job.name}`, kind: 'consumer' } as const;
    const output = await inTraceOf(claim.traceparent, () =>
      withSpan(span, { 'job.id': claim.run.id, 'job.attempt': claim.run.attempt }, () =>
        runJob(claim, shop.completeLoose),
      ),
    );
    end({ outcome: 'completed', rows: output.rows });
    return { id: claimed.id, status: 'completed', output };
  } catch (error) {
    const { outcome, settle } = judgeFailure(claimed, error, new Date());
    const canceled = outcome === 'fenced' && (await stateNow(claimed, shop)) === 'cancelled';
    end({ outcome: canceled ? 'canceled' : outcome, error });
    return settle;
  } finally {
    claimed.signal.removeEventListener('abort', onAbort);
  }
}

type End = { outcome: RunReport['outcome']; rows?: number; error?: unknown };

/** A run that is abandoned ends then; what becomes of the function that still runs is no second end. */
function endOnce(claimed: Claimed, shop: Workshop): (end: End | undefined) => void {
  const started = performance.now();
  let open = true;
  return end => {
    if (!open || end === undefined) return;
    open = false;
    const durationMs = Math.round(performance.now() - started);
    shop.report(claimed, { rows: 0, ...end, jobType: typeOf(claimed, shop), durationMs });
  };
}

/** pg-boss has stopped waiting: the time was up, the process shuts down, or the job belongs to somebody else now. */
async function abandoned(claimed: Claimed, shop: Workshop): Promise<End | undefined> {
  const { reason } = claimed.signal;
  const timeUp = reason instanceof DOMException && reason.name === 'AbortError';
  if (timeUp)
    return { outcome: outcomeOfFailure(claimed), error: new Error('the run took too long or was stopped') };
  const state = await stateNow(claimed, shop);
  if (state === 'completed') return undefined; // perhaps by us, a moment ago: the run itself will say
  return { outcome: state === 'cancelled' ? 'canceled' : 'fenced', error: reason };
}

function stateNow(claimed: Claimed, shop: Workshop): Promise<Claimed['state'] | undefined> {
  return shop.stateOf(leaseOf(claimed)).catch(() => undefined);
}

/** A label must not be made of what somebody else wrote. */
function typeOf(claimed: Claimed, shop: Workshop): string {
  const { type } = (claimed.data ?? {}) as { type?: unknown };
  return typeof type === 'string' && shop.jobs.has(type) ? type : 'unknown';
}
