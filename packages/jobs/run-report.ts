import { AppError } from '@ghasi/domain-primitives/errors';
import { idFromUuid } from '@ghasi/domain-primitives/ids';
import { safeReason } from '@ghasi/domain-primitives/safe-reason';
import type { Logger } from '@ghasi/telemetry/logger';
import type { LabelsOf, Metrics } from '@ghasi/telemetry/metrics';
import { scrubText } from '@ghasi/telemetry/redact';
import type { JobResult } from 'pg-boss';
import type { Claimed } from './claim.ts';
import { jobErrors } from './errors.ts';
import { GiveUp, RetryLater } from './outcome.ts';
import { parseBossQueue } from './queues.ts';

/** How a run ended. `fenced`: it was taken for dead and another run has the job; nothing of it was saved. */
export type RunOutcome = LabelsOf<'melmastoon_job_outcomes_total'>['outcome'];

/** What every run reports (JOB-30). */
export type RunReport = {
  outcome: RunOutcome;
  jobType: string;
  durationMs: number;
  rows: number;
  error?: unknown;
};

const MOST_SCRUBBED = 10_000; // characters; scrubText looks at fewer
const MOST_KEPT = 2_000;

/** What a failed run means for its job, and what pg-boss has to be told. */
export function judgeFailure(
  claimed: Claimed,
  error: unknown,
  now: Date,
): { outcome: RunOutcome; settle: JobResult } {
  const output = {
    // Scrubbed whole and cut then, into text that jsonb takes: pg-boss would otherwise settle the job for another reason.
    message: safeReason(scrubText(safeReason(error, MOST_SCRUBBED)), MOST_KEPT),
    ...(error instanceof AppError ? { code: error.qualifiedCode } : {}),
    ...(error instanceof RetryLater
      ? { retryAt: new Date(now.getTime() + error.afterMs).toISOString() }
      : {}),
  };
  if (jobErrors.LEASE_LOST.is(error))
    return { outcome: 'fenced', settle: { id: claimed.id, status: 'failed', output } };
  if (error instanceof GiveUp)
    return { outcome: 'dead_letter', settle: { id: claimed.id, status: 'deadletter', output } };
  return { outcome: outcomeOfFailure(claimed), settle: { id: claimed.id, status: 'failed', output } };
}

/** Dead letter when the failed runs exceed the retries. */
export function outcomeOfFailure(claimed: Claimed): RunOutcome {
  return claimed.retryCount + 1 > claimed.retryLimit ? 'dead_letter' : 'retry';
}

/** Writes one log line and the metrics of a run. */
export function reportRun(
  claimed: Claimed,
  report: RunReport,
  to: { log: Logger; metrics: Metrics | undefined },
): void {
  const { service = 'unknown', queue = 'default' } = parseBossQueue(claimed.name) ?? {};
  const { outcome, jobType, durationMs, rows, error } = report;
  const labels = { service, queue, job_type: jobType };
  to.metrics?.inc('melmastoon_job_outcomes_total', { ...labels, outcome });
  to.metrics?.observe('melmastoon_job_duration_seconds', labels, durationMs / 1_000);
  if (rows > 0) to.metrics?.inc('melmastoon_job_rows_touched_total', labels, rows);
  if (outcome === 'retry' || outcome === 'dead_letter')
    to.metrics?.inc('melmastoon_job_failures_total', labels);
  const level = outcome === 'dead_letter' ? 'error' : outcome === 'completed' ? 'info' : 'warn';
  const facts = {
    jobId: idFromUuid('job', claimed.id),
    jobType,
    service,
    queue,
    attempt: claimed.retryCount + 1,
    outcome,
    durationMs,
    rows,
  };
  to.log[level](error === undefined ? facts : { ...facts, err: error }, 'job run ended');
}
