import type { Accepted, ValueOf } from '@ghasi/db/accepted';
import { accepted } from '@ghasi/db/accepted';
import { sql } from '@ghasi/db/drizzle';
import { execute, row, rows } from '@ghasi/db/sql';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { type Change, everything, type Handler, type Projection } from './handler.ts';
import { currentWatermark } from './note-changes.ts';

/** Runs work in a transaction of its own; publishes the events it accepted. */
export type InTransaction = <R>(work: (ctx: Ctx) => Promise<R>) => Promise<ValueOf<R>>;

/** What became of a handler: it computed, had nothing to do, waits for one it needs, or failed. */
export type Outcome = 'computed' | 'current' | 'waiting' | 'failed';

/** What became of all of them, and the first thing that went wrong. */
export type Ran = { readonly outcomes: ReadonlyMap<string, Outcome>; readonly error: unknown };

const TIMEOUT_MS = 8_000;

/**
 * Brings every handler of a scope up to date, each in its own transaction: rows, checkpoint and events commit together. One
 * that fails is marked `FAILED` and the others go on (PROJ-07); run again, only those behind do anything (PROJ-08).
 */
export async function runHandlers(
  inTransaction: InTransaction,
  projection: Projection,
  scopeId: string,
): Promise<Ran> {
  const outcomes = new Map<string, Outcome>();
  let firstError: unknown;
  for (const handler of projection.handlers) {
    const place = { projection, handler, scopeId };
    try {
      outcomes.set(handler.name, await inTransaction(ctx => runOne(ctx, place)));
    } catch (error) {
      firstError ??= error;
      outcomes.set(handler.name, 'failed');
      await inTransaction(ctx => markFailed(ctx, place, error));
    }
  }
  await inTransaction(ctx => forgetDone(ctx, projection, scopeId));
  return { outcomes, error: firstError };
}

type Place = { projection: Projection; handler: Handler; scopeId: string };
type Checkpoint = {
  status: 'PENDING' | 'COMPLETED' | 'FAILED';
  version: number;
  sourceWatermark: number;
  position: number;
};

async function runOne(ctx: Ctx, place: Place): Promise<Accepted<Outcome>> {
  const { projection, handler, scopeId } = place;
  const timeout = String(projection.timeoutMs ?? TIMEOUT_MS);
  ctx.write(execute(ctx.tx, sql`select set_config('statement_timeout', ${timeout}, true)`));
  // First the lock and the watermark, then the changes, then the data: what is claimed is never newer than what was read
  // (PROJ-09).
  const [before, reach] = await Promise.all([lockCheckpoint(ctx, place), reachOf(ctx, place)]);
  const isSame = before.version === handler.version;
  const isDone = reach.isShort || before.status === 'COMPLETED';
  if (isSame && isDone && before.sourceWatermark >= reach.watermark)
    return accepted(reach.isShort ? 'waiting' : 'current', []);
  const { changes, position } = await changesAfter(ctx, place, {
    after: before.position,
    to: reach.position,
  });
  const mine = changes.filter(({ topic }) => handler.topics.includes(topic));
  const work = isSame ? mine : [{ topic: '', ...everything }];
  const events =
    work.length === 0
      ? []
      : await handler.compute(ctx, { scopeId, watermark: reach.watermark, changes: work });
  saveCheckpoint(ctx, place, { watermark: reach.watermark, position: position ?? before.position });
  return accepted('computed', events);
}

const table = ({ projection }: Pick<Place, 'projection'>, name: string) =>
  sql`${sql.identifier(projection.schema)}.${sql.identifier(name)}`;

/** Two runs of one handler go one after the other. */
async function lockCheckpoint(ctx: Ctx, place: Place): Promise<Checkpoint> {
  const { handler, scopeId } = place;
  const lock = () =>
    row<Checkpoint>(
      ctx.tx,
      sql`select status, handler_version as version, source_watermark::float8 as "sourceWatermark",
                 position::float8 as position
          from ${table(place, 'checkpoints')}
          where tenant_id = ${ctx.tenantId} and scope_id = ${scopeId} and handler = ${handler.name}
          for update`,
    );
  const found = await lock();
  if (found !== undefined) return found;
  ctx.write(
    execute(
      ctx.tx,
      sql`insert into ${table(place, 'checkpoints')} (tenant_id, scope_id, handler, handler_version, status)
          values (${ctx.tenantId}, ${scopeId}, ${handler.name}, ${handler.version}, 'PENDING')
          on conflict (tenant_id, scope_id, handler) do nothing`,
    ),
  );
  return (await lock()) as Checkpoint;
}

/** How far it may go: as far as was taken in, and no further than the handlers whose rows it reads. */
async function reachOf(
  ctx: Ctx,
  place: Place,
): Promise<{ watermark: number; position: number | null; isShort: boolean }> {
  const { projection, handler, scopeId } = place;
  const needs = handler.needs ?? [];
  const [watermark, least] = await Promise.all([
    currentWatermark(ctx, projection, scopeId),
    needs.length === 0 ? undefined : leastOf(ctx, place, needs),
  ]);
  if (needs.length === 0) return { watermark, position: null, isShort: false };
  const isWhole = least?.n === needs.length;
  const reached = isWhole ? (least?.watermark ?? 0) : 0;
  return {
    watermark: Math.min(watermark, reached),
    position: isWhole ? (least?.position ?? 0) : 0,
    isShort: reached < watermark,
  };
}

type Least = { watermark: number | null; position: number | null; n: number };

/** How far the handlers have come that have come least far, and how many of them have a checkpoint. */
function leastOf(ctx: Ctx, place: Place, handlers: readonly string[]): Promise<Least | undefined> {
  return row<Least>(
    ctx.tx,
    sql`select min(source_watermark)::float8 as watermark, min(position)::float8 as position, count(*)::int as n
        from ${table(place, 'checkpoints')}
        where tenant_id = ${ctx.tenantId} and scope_id = ${place.scopeId}
          and handler = any(${sql.param(handlers)}::text[])`,
  );
}

type Found = Change & { id: number };

async function changesAfter(
  ctx: Ctx,
  place: Place,
  { after, to }: { after: number; to: number | null },
): Promise<{ changes: Change[]; position: number | undefined }> {
  const found = await rows<Found>(
    ctx.tx,
    sql`select id::float8 as id, topic, from_date as "from", until_date as "until", at
        from ${table(place, 'changes')}
        where tenant_id = ${ctx.tenantId} and scope_id = ${place.scopeId}
          and id > ${after}::float8 and (${to}::float8 is null or id <= ${to}::float8)
        order by id`,
  );
  return { changes: found.map(({ id: _, ...change }) => change), position: found.at(-1)?.id };
}

function saveCheckpoint(
  ctx: Ctx,
  place: Place,
  { watermark, position }: { watermark: number; position: number },
): void {
  ctx.write(
    execute(
      ctx.tx,
      sql`update ${table(place, 'checkpoints')}
          set status = 'COMPLETED', handler_version = ${place.handler.version}, position = ${position}::float8,
              source_watermark = greatest(source_watermark, ${watermark}::float8::bigint),
              failures = 0, error = null, computed_at = ${ctx.now}, updated_at = ${ctx.now}
          where tenant_id = ${ctx.tenantId} and scope_id = ${place.scopeId} and handler = ${place.handler.name}`,
    ),
  );
}

async function markFailed(ctx: Ctx, place: Place, error: unknown): Promise<void> {
  const reason = error instanceof Error ? error.message : String(error);
  ctx.write(
    execute(
      ctx.tx,
      sql`insert into ${table(place, 'checkpoints')} as c
            (tenant_id, scope_id, handler, handler_version, status, failures, error, updated_at)
          values (${ctx.tenantId}, ${place.scopeId}, ${place.handler.name}, ${place.handler.version}, 'FAILED', 1,
                  ${reason.slice(0, 500)}, ${ctx.now})
          on conflict (tenant_id, scope_id, handler) do update
          set status = 'FAILED', failures = c.failures + 1, error = excluded.error, updated_at = excluded.updated_at`,
    ),
  );
}

/** Changes that every handler has dealt with are of no more use. */
async function forgetDone(ctx: Ctx, projection: Projection, scopeId: string): Promise<void> {
  const names = projection.handlers.map(({ name }) => name);
  ctx.write(
    execute(
      ctx.tx,
      sql`delete from ${table({ projection }, 'changes')}
          where tenant_id = ${ctx.tenantId} and scope_id = ${scopeId}
            and id <= (
              select case when count(*) = ${names.length}::int then min(position) end
              from ${table({ projection }, 'checkpoints')}
              where tenant_id = ${ctx.tenantId} and scope_id = ${scopeId} and handler = any(${sql.param(names)}::text[]))`,
    ),
  );
}
