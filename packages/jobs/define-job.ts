import type { ValueOf } from '@ghasi/db/accepted';
import type { Database } from '@ghasi/db/database';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { parseDuration } from '@ghasi/domain-primitives/duration';
import type { Id, TenantId } from '@ghasi/domain-primitives/ids';
import { z } from 'zod';
import { type QueueAlias, type QueueName, queueNames, queueOf } from './queues.ts';

/** A job belongs to one tenant, or to the platform (JOB-22). */
export type JobScope = 'tenant' | 'system';

/** This run of a job. `attempt` starts at 1; `signal` aborts on timeout, cancellation, a lost lease or shutdown. */
export type JobRun = { readonly id: Id<'job'>; readonly attempt: number; readonly signal: AbortSignal };

/** What a job gets: a transaction of its tenant, in which the job is also marked as done. `accepted` events are published. */
export type JobCtx = Ctx & { readonly job: JobRun };

/** What a job with `transaction: 'none'` gets: it may take long or call others, and opens short transactions. */
export type LooseJobCtx = Omit<JobCtx, 'tx' | 'write' | 'ensure' | 'count' | 'afterCommit'> & {
  readonly db: Database;
  /**
   * A transaction that commits only while this run still holds the job. A system job may name the tenant; otherwise
   * it is the job's own.
   */
  transaction<R>(work: (ctx: JobCtx) => Promise<R>, options?: { tenantId?: TenantId }): Promise<ValueOf<R>>;
};

/** Settings of a job that have a default. */
type Options = {
  /** Whose database role runs it and whose workers take it; default: the part of the name before the first dot. */
  service?: string;
  /** Default `default`. */
  queue?: QueueAlias;
  /** 1 to 10, higher first; default 5. */
  priority?: number;
  /** Runs after the first one; default 3, so four runs. */
  maxRetries?: number;
  /** A run that takes longer has failed; default 300. */
  timeoutSeconds?: number;
  /** The n-th retry waits `baseSeconds` × 2ⁿ⁻¹ to twice that, at most `maxSeconds`; defaults 5 and 900. */
  backoff?: { baseSeconds?: number; maxSeconds?: number };
  /** `maintenance` sees the rows of all tenants where a table lets it; system jobs only. Default `service`. */
  runAs?: 'service' | 'maintenance';
};

/** What a job is, whatever it runs. */
export type Definition<Input extends z.ZodType, Scope extends JobScope> = Options & {
  /** Qualified, e.g. `iam.prune-sessions`; stored with every job, so it is for ever. */
  name: string;
  /** Plain JSON; checked when the job is enqueued and again when it runs. */
  input: Input;
  scope: Scope;
};

type InTransaction<Input extends z.ZodType> = {
  transaction?: 'one';
  run(ctx: JobCtx, input: z.output<Input>): Promise<unknown>;
};

type Loose<Input extends z.ZodType> = {
  transaction: 'none';
  run(ctx: LooseJobCtx, input: z.output<Input>): Promise<unknown>;
};

/** A defined job. */
export type JobDefinition<Input extends z.ZodType = z.ZodType, Scope extends JobScope = JobScope> = {
  readonly name: string;
  readonly service: string;
  readonly queue: QueueName;
  readonly priority: number;
  readonly maxRetries: number;
  readonly timeoutSeconds: number;
  readonly backoff: { readonly baseSeconds: number; readonly maxSeconds: number };
  readonly runAs: 'service' | 'maintenance';
  readonly scope: Scope;
  readonly input: Input;
  readonly work: InTransaction<Input> | Loose<Input>;
};

const settings = z.object({
  name: z.string().regex(/^[a-z][a-z0-9_]*([.-][a-z0-9_]+)*$/),
  service: z.string().regex(/^[a-z][a-z0-9_]*$/),
  queue: z.enum([...queueNames, 'low']).default('default'),
  priority: z.int().min(1).max(10).default(5),
  maxRetries: z.int().min(0).max(100).default(3),
  timeoutSeconds: z.int().min(1).max(86_400).default(300),
  backoff: z
    .object({ baseSeconds: z.int().min(1).default(5), maxSeconds: z.int().min(1).default(900) })
    .prefault({}),
  runAs: z.enum(['service', 'maintenance']).default('service'),
});

/**
 * Defines a job. By default `run` gets a transaction of the job's tenant and the job is marked as done in that same
 * transaction: its effect happens once, however often it runs. Such a job must be short (a role's transactions end
 * after 30 s); one that is long or calls others says `transaction: 'none'` and must be safe to repeat (JOB-19).
 */
export function defineJob<Input extends z.ZodType, const Scope extends JobScope>(
  definition: Definition<Input, Scope> & InTransaction<Input>,
): JobDefinition<Input, Scope>;
export function defineJob<Input extends z.ZodType, const Scope extends JobScope>(
  definition: Definition<Input, Scope> & Loose<Input>,
): JobDefinition<Input, Scope>;
export function defineJob<Input extends z.ZodType, const Scope extends JobScope>(
  definition: Definition<Input, Scope> & (InTransaction<Input> | Loose<Input>),
): JobDefinition<Input, Scope> {
  const { input, scope, transaction, run, ...given } = definition;
  const parsed = settings.safeParse({ service: given.name.split('.')[0], ...given });
  if (!parsed.success) throw new TypeError(`defineJob(${given.name}): ${z.prettifyError(parsed.error)}`);
  if (parsed.data.runAs === 'maintenance' && scope !== 'system')
    throw new TypeError(`defineJob(${given.name}): only a system job may run as maintenance`);
  const work = { transaction: transaction ?? 'one', run } as InTransaction<Input> | Loose<Input>;
  return Object.freeze({ ...parsed.data, queue: queueOf(parsed.data.queue), input, scope, work });
}

/** When a schedule comes due: every so many seconds, or by a cron expression read in a zone. */
export type Recurrence =
  | { readonly kind: 'interval'; readonly seconds: number }
  | { readonly kind: 'cron'; readonly expression: string; readonly zone: string };

/** A system job that comes round by itself. */
export type Schedule = {
  readonly job: JobDefinition;
  readonly recurrence: Recurrence;
  readonly input: unknown;
};

/**
 * Runs a system job again and again: `every('10s', sweep)`, `every('0 3 * * *', prune, { zone: 'Asia/Kabul' })`.
 * While one run is waiting, running or between retries, the next is not enqueued (JOB-29). Cron has a resolution of a
 * minute and catches up once on what was missed while nothing ran; the zone defaults to UTC.
 */
export function every<Input extends z.ZodType>(
  when: string,
  job: JobDefinition<Input, 'system'>,
  options: { zone?: string; input?: z.input<Input> } = {},
): Schedule {
  const input = options.input ?? {};
  job.input.parse(input);
  return Object.freeze({
    job: job as unknown as JobDefinition,
    recurrence: recurrenceOf(when, options.zone ?? 'UTC'),
    input,
  });
}

function recurrenceOf(when: string, zone: string): Recurrence {
  // A cron expression has spaces; a duration never has.
  if (when.trim().includes(' ')) return { kind: 'cron', expression: when.trim(), zone };
  const seconds = parseDuration(when) / 1_000;
  if (!Number.isInteger(seconds) || seconds < 1)
    throw new TypeError(`every('${when}'): whole seconds, at least one`);
  return { kind: 'interval', seconds };
}
