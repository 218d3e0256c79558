import type { Actor } from '@ghasi/db/tenant-transaction';
import { idToUuid, isId } from '@ghasi/domain-primitives/ids';
import { isUuid } from '@ghasi/domain-primitives/uuid';
import type { JobInsert } from 'pg-boss';
import { z } from 'zod';
import type { JobDefinition } from './define-job.ts';

/** What pg-boss keeps as the data of a job; the view `jobs.jobs` reads these names. */
export const envelope = z.object({
  type: z.string(),
  input: z.unknown(),
  actor: z.object({ type: z.enum(['user', 'system', 'service', 'api_key']), id: z.string() }),
  accountId: z.guid().optional(),
  runAt: z.iso.datetime().optional(),
  traceparent: z.string().optional(),
});

/** See {@link envelope}. */
export type Envelope = z.infer<typeof envelope>;

/** Packs one job; refuses an input that the job would refuse when it runs. */
export function pack(
  job: JobDefinition,
  input: unknown,
  by: { actor: Actor; runAt?: Date | undefined; traceparent?: string | undefined },
): Envelope {
  job.input.parse(input);
  const accountId = accountOf(by.actor);
  return {
    type: job.name,
    input,
    actor: by.actor,
    ...(accountId === undefined ? {} : { accountId }),
    ...(by.runAt === undefined ? {} : { runAt: by.runAt.toISOString() }),
    ...(by.traceparent === undefined ? {} : { traceparent: by.traceparent }),
  };
}

/** pg-boss's options for a job. A job without a key gets one of its own, because the queues are exclusive by key. */
export function bossOptions(job: JobDefinition) {
  return {
    priority: job.priority,
    retryLimit: job.maxRetries,
    retryDelay: job.backoff.baseSeconds,
    retryBackoff: true,
    retryDelayMax: job.backoff.maxSeconds,
    expireInSeconds: job.timeoutSeconds,
  } satisfies JobInsert;
}

/** JOB-03: the person who asked for the job, if it was one. */
function accountOf(actor: Actor): string | undefined {
  if (actor.type !== 'user') return undefined;
  if (isId('usr', actor.id)) return idToUuid(actor.id);
  return isUuid(actor.id) ? actor.id : undefined;
}
