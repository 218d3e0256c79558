import { sql } from '@ghasi/db/drizzle';
import { rows } from '@ghasi/db/sql';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import type { Projection } from './handler.ts';
import { currentWatermark } from './note-changes.ts';

/** What a row is, from best to worst. */
export const rowStatuses = ['READY', 'STALE', 'COMPUTING', 'FAILED'] as const;
export type RowStatus = (typeof rowStatuses)[number];

/** What a checkpoint is. */
export const checkpointStatuses = ['PENDING', 'COMPLETED', 'FAILED'] as const;
export type CheckpointStatus = (typeof checkpointStatuses)[number];

/** Where a handler stands; `computedAt` is when it got there, null when it never did. */
export type Standing = {
  readonly handler: string;
  readonly status: CheckpointStatus;
  readonly sourceWatermark: number;
  readonly computedAt: Date | null;
};

/** How current some numbers are. */
export type Freshness = {
  readonly status: RowStatus;
  /** Everything that was heard until then is in the numbers; null: nothing was computed yet. */
  readonly asOf: Date | null;
  /** How far what was heard reaches. */
  readonly watermark: number;
  /** How far the numbers reach. */
  readonly sourceWatermark: number;
  /** How many takings-in are not in the numbers. */
  readonly lag: number;
};

/** PROJ-04: a row that was right is stale once more was heard than it was computed from. */
export function applyWatermarkFreshness(
  row: { readonly status: RowStatus; readonly sourceWatermark: number },
  currentWatermark: number,
): RowStatus {
  return row.status === 'READY' && currentWatermark > row.sourceWatermark ? 'STALE' : row.status;
}

const rowStatus = { PENDING: 'COMPUTING', COMPLETED: 'READY', FAILED: 'FAILED' } as const;

/** How current numbers are that several handlers computed: as the worst of them. One that never ran is computing. */
export function freshnessOf(
  standings: readonly Standing[],
  of: { handlers: readonly string[]; watermark: number; now: Date },
): Freshness {
  const { handlers, watermark, now } = of;
  const found = handlers.map(name => standings.find(({ handler }) => handler === name));
  const statuses = found.map(one =>
    one === undefined
      ? 'COMPUTING'
      : applyWatermarkFreshness({ ...one, status: rowStatus[one.status] }, watermark),
  );
  // Nothing was ever heard: nothing is missing from the numbers either.
  const status = watermark === 0 ? 'READY' : worst(statuses);
  const sourceWatermark = Math.min(watermark, ...found.map(one => one?.sourceWatermark ?? 0));
  const asOf = status === 'READY' ? now : earliest(found.map(one => one?.computedAt ?? null));
  return { status, asOf, watermark, sourceWatermark, lag: watermark - sourceWatermark };
}

/** The worse of two, as numbers of several scopes are as old as the oldest. */
export function togetherFresh(left: Freshness, right: Freshness): Freshness {
  return {
    status: worst([left.status, right.status]),
    asOf: earliest([left.asOf, right.asOf]),
    watermark: left.watermark + right.watermark,
    sourceWatermark: left.sourceWatermark + right.sourceWatermark,
    lag: left.lag + right.lag,
  };
}

function worst(statuses: readonly RowStatus[]): RowStatus {
  const places = statuses.map(status => rowStatuses.indexOf(status));
  return rowStatuses[Math.max(0, ...places)] ?? 'READY';
}

function earliest(moments: readonly (Date | null)[]): Date | null {
  if (moments.includes(null)) return null;
  return moments.reduce((a, b) => (a !== null && b !== null && b < a ? b : a), moments[0] ?? null);
}

/** Reads how current the numbers of some handlers are. */
export async function readFreshness(
  ctx: Ctx,
  { schema }: Pick<Projection, 'schema'>,
  of: { scopeId: string; handlers: readonly string[] },
): Promise<Freshness> {
  // First how far they have come, then how far it goes: what is heard in between makes them stale, never the reverse.
  const standings = rows<Standing>(
    ctx.tx,
    sql`select handler, status, source_watermark::float8 as "sourceWatermark", computed_at as "computedAt"
        from ${sql.identifier(schema)}.checkpoints
        where tenant_id = ${ctx.tenantId} and scope_id = ${of.scopeId}
          and handler = any(${sql.param(of.handlers)}::text[])`,
  );
  const [found, watermark] = await Promise.all([standings, currentWatermark(ctx, { schema }, of.scopeId)]);
  return freshnessOf(found, { handlers: of.handlers, watermark, now: ctx.now });
}
