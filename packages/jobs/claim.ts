import type { Database } from '@ghasi/db/database';
import type { Who } from '@ghasi/db/tenant-transaction';
import { idFromUuid, PLATFORM_TENANT_ID, parseTenantId } from '@ghasi/domain-primitives/ids';
import type { Logger } from '@ghasi/telemetry/logger';
import type { JobWithMetadata } from 'pg-boss';
import { z } from 'zod';
import type { JobDefinition, JobRun } from './define-job.ts';
import { envelope } from './envelope.ts';
import { jobErrors } from './errors.ts';
import type { Lease } from './lease.ts';
import { GiveUp } from './outcome.ts';

/** A row that pg-boss has claimed for this process. */
export type Claimed = JobWithMetadata<unknown>;

/** The jobs a process can run, and the databases they run on: by service, and `maintenance`. */
export type Hosted = {
  readonly jobs: ReadonlyMap<string, JobDefinition>;
  readonly databases: Readonly<Record<string, Database>>;
  readonly log: Logger;
};

/** A claimed job ready to run: what, with what, for whom, where. */
export type Claim = {
  readonly job: JobDefinition;
  readonly input: unknown;
  readonly who: Who & { log: Logger };
  readonly db: Database;
  readonly lease: Lease;
  readonly run: JobRun;
  readonly traceparent: string | undefined;
};

/** The lease that a claimed row stands for. */
export function leaseOf(claimed: Claimed): Lease {
  return {
    queue: claimed.name,
    jobId: idFromUuid('job', claimed.id),
    claim: claimed.retryCount,
    // The group is what row-level security judged when the row was written; the data is only what somebody said.
    tenantId: claimed.groupId ? parseTenantId(claimed.groupId) : PLATFORM_TENANT_ID,
  };
}

/**
 * Restores the context a job was enqueued in. An unknown job or input is an ordinary failure: while a release is rolled
 * out, old processes meet the jobs of the new one, which must still be there when the last old one has gone.
 */
export function openClaim(claimed: Claimed, hosted: Hosted): Claim {
  const sent = envelope.safeParse(claimed.data);
  if (!sent.success) throw new GiveUp(`the job cannot be read: ${z.prettifyError(sent.error)}`);
  const { type, actor, traceparent } = sent.data;
  const job = hosted.jobs.get(type);
  if (job === undefined) throw new Error(`no job is called ${type} in this release`);
  const lease = leaseOf(claimed);
  const scope = lease.tenantId === PLATFORM_TENANT_ID ? 'system' : 'tenant';
  if (job.scope !== scope)
    throw new GiveUp(`${type} is a job for scope ${job.scope} and was enqueued for ${scope}`);
  const input = job.input.safeParse(sent.data.input);
  if (!input.success) throw new Error(`the input does not fit: ${z.prettifyError(input.error)}`);
  const run = { id: lease.jobId, attempt: claimed.retryCount + 1, signal: claimed.signal };
  const log = hosted.log.child({
    jobId: run.id,
    jobType: type,
    attempt: run.attempt,
    tenantId: lease.tenantId,
  });
  const who = { tenantId: lease.tenantId, actor, log };
  return { job, input: input.data, who, db: databaseOf(job, hosted), lease, run, traceparent };
}

/** Where `databases` has the one of the role `maintenance`; no schema can have this name. */
export const MAINTENANCE = 'role:maintenance';

/** The key of the database a job runs on. */
export function databaseKey(job: JobDefinition): string {
  return job.runAs === 'maintenance' ? MAINTENANCE : job.service;
}

function databaseOf(job: JobDefinition, hosted: Hosted): Database {
  const db = hosted.databases[databaseKey(job)];
  if (db === undefined) throw jobErrors.NO_DATABASE({ name: job.name, owner: databaseKey(job) });
  return db;
}
