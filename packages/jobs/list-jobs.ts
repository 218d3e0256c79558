import type { Database } from '@ghasi/db/database';
import { type Id, idFromUuid, idToUuid, type TenantId } from '@ghasi/domain-primitives/ids';

/** States of a job as the ledger names them. `failed` is a job between two runs. */
export const jobStatuses = ['pending', 'running', 'completed', 'failed', 'canceled', 'dead_letter'] as const;
export type JobStatus = (typeof jobStatuses)[number];

/** Which jobs; what is left out does not matter. */
export type JobFilter = {
  readonly ids?: readonly Id<'job'>[];
  readonly status?: readonly JobStatus[];
  readonly type?: string;
  readonly tenantId?: TenantId;
  /** Most rows; default: all. */
  readonly limit?: number;
};

/** A job as an operator sees it: never what it was given, which may be personal. */
export type ListedJob = {
  readonly id: Id<'job'>;
  /** Null: a job of the platform. */
  readonly tenantId: string | null;
  readonly type: string;
  readonly queue: string;
  readonly status: JobStatus;
  readonly failedRuns: number;
  readonly ageSeconds: number;
  readonly error: string | null;
};

/** Jobs of all tenants, the oldest first. `db` is signed in as `jobs_worker`. */
export async function listJobs(db: Database, filter: JobFilter): Promise<ListedJob[]> {
  const { rows } = await db.pool.query<Omit<ListedJob, 'id'> & { id: string }>(
    `select j.id, j.org_id as "tenantId", j.job_type as type, j.queue, j.status::text as status,
            j.retry_count as "failedRuns", j.error_message as error,
            extract(epoch from clock_timestamp() - j.created_at)::float8 as "ageSeconds"
     from jobs.jobs j
     where ($1::uuid[] is null or j.id = any($1))
       and ($2::text[] is null or j.status::text = any($2))
       and ($3::text is null or j.job_type = $3)
       and ($4::uuid is null or j.org_id = $4)
     order by j.created_at, j.id
     limit $5`,
    [filter.ids?.map(idToUuid), filter.status, filter.type, filter.tenantId, filter.limit],
  );
  return rows.map(row => ({ ...row, id: idFromUuid('job', row.id) }));
}
