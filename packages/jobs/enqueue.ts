import type { Ctx } from '@ghasi/db/tenant-transaction';
import { type Id, idFromUuid, idToUuid, newId, PLATFORM_TENANT_ID } from '@ghasi/domain-primitives/ids';
import { traceparent } from '@ghasi/telemetry/tracing';
import type { z } from 'zod';
import { bossIn } from './boss-in-transaction.ts';
import type { JobDefinition } from './define-job.ts';
import { bossOptions, pack } from './envelope.ts';
import { jobErrors } from './errors.ts';
import { tellEnqueued } from './news.ts';
import { bossQueue } from './queues.ts';

/** How one job differs from its definition. */
export type EnqueueOptions = {
  /** Not before this moment; default: at once. */
  runAt?: Date;
  /** 1 to 10; default: the job's. */
  priority?: number;
  /**
   * At most one job of this name, tenant and key waits: enqueueing again replaces what it will do and when. Once it has
   * started, the key is free, so that nothing asked for during a run is lost.
   */
  key?: string;
  /** The key is new in this transaction, so that nothing can wait under it and nobody has to look. */
  isNewKey?: boolean;
};

/** One of many. */
export type Enqueued<Input> = EnqueueOptions & { input: Input };

type EnqueueCtx = Pick<Ctx, 'tx' | 'tenantId' | 'actor'> & Partial<Pick<Ctx, 'afterCommit'>>;

const KEY_RACES = 10; // each lost race means that a worker has just started the job; ten in a row do not happen

/** Enqueues a job in the caller's transaction: it exists if and when that commits. */
export async function enqueue<Input extends z.ZodType>(
  ctx: EnqueueCtx,
  job: JobDefinition<Input>,
  input: z.input<Input>,
  options: EnqueueOptions = {},
): Promise<Id<'job'>> {
  const [id] = await enqueueMany(ctx, job, [{ ...options, input }]);
  return id as Id<'job'>;
}

/** Enqueues none, one or many jobs of a kind in the caller's transaction; those without a key, or with a new one, in one statement. */
export async function enqueueMany<Input extends z.ZodType>(
  ctx: EnqueueCtx,
  job: JobDefinition<Input>,
  wanted: readonly Enqueued<z.input<Input>>[],
): Promise<Id<'job'>[]> {
  const found = ctx.tenantId === PLATFORM_TENANT_ID ? 'system' : 'tenant';
  if (job.scope !== found) throw jobErrors.WRONG_SCOPE({ name: job.name, scope: job.scope, found });
  const ids: Id<'job'>[] = [];
  const plain: New[] = [];
  for (const [index, one] of wanted.entries()) {
    const row = rowOf(ctx, job as unknown as JobDefinition, one);
    const id = newId('job');
    // The queues are exclusive by key, so a job without one gets a key of its own.
    const singletonKey = one.key === undefined ? `job:${idToUuid(id)}` : keyOf(ctx, job.name, one.key);
    const mayWait = one.key !== undefined && !one.isNewKey;
    ids[index] = mayWait
      ? await replaceWaiting(ctx, job as unknown as JobDefinition, { singletonKey, row })
      : id;
    if (!mayWait) plain.push({ ...row, id: idToUuid(id), singletonKey });
  }
  if (plain.length > 0) await insert(ctx, job as unknown as JobDefinition, plain);
  if (wanted.some(({ runAt }) => runAt === undefined))
    ctx.afterCommit?.(() => tellEnqueued(bossQueue(job.service, job.queue)));
  return ids;
}

function rowOf(ctx: EnqueueCtx, job: JobDefinition, wanted: Enqueued<unknown>) {
  const priority = wanted.priority ?? job.priority;
  if (!Number.isInteger(priority) || priority < 1 || priority > 10)
    throw jobErrors.PRIORITY_OUT_OF_RANGE({ name: job.name, priority });
  return {
    ...bossOptions(job),
    ...(job.scope === 'tenant' ? { group: { id: ctx.tenantId } } : {}),
    priority,
    data: pack(job, wanted.input, { actor: ctx.actor, runAt: wanted.runAt, traceparent: traceparent() }),
    startAfter: wanted.runAt?.toISOString() ?? '0',
  };
}

type New = ReturnType<typeof rowOf> & { id: string; singletonKey: string };

function keyOf({ tenantId }: EnqueueCtx, jobName: string, key: string): string {
  return `once:${tenantId}:${jobName}:${key}`;
}

async function insert(ctx: EnqueueCtx, job: JobDefinition, rows: New[]): Promise<void> {
  const made = await bossIn(ctx.tx, boss =>
    boss.insert(bossQueue(job.service, job.queue), rows, { returnId: true }),
  );
  if (made?.length !== rows.length) throw new Error(`pg-boss refused a job ${job.name} without saying why`);
}

/**
 * The waiting row stays locked until the caller commits, so no worker can start it before it can see what the caller
 * wrote. If a worker starts it between our look and our lock, pg-boss answers with no id, and the key is free again.
 */
async function replaceWaiting(
  ctx: EnqueueCtx,
  job: JobDefinition,
  { singletonKey, row }: { singletonKey: string; row: ReturnType<typeof rowOf> },
): Promise<Id<'job'>> {
  const { data, ...options } = row;
  for (let race = 0; race < KEY_RACES; race++) {
    const { jobs } = await bossIn(ctx.tx, boss =>
      boss.upsert(bossQueue(job.service, job.queue), data, { ...options, singletonKey }),
    );
    if (jobs[0] !== undefined) return idFromUuid('job', jobs[0]);
  }
  throw new Error(`the key of job ${job.name} was taken and freed ${KEY_RACES} times while it was enqueued`);
}
