import { lockEntity } from '@ghasi/db/advisory-lock';
import { sql } from '@ghasi/db/drizzle';
import { execute, row } from '@ghasi/db/sql';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import type { Days, Projection } from './handler.ts';

type Where = Pick<Projection, 'schema'>;

/** What a transaction has done already: the lock and each scope's watermark are once per transaction. */
type Done = { isLocked: boolean; readonly raised: Set<string>; readonly touched: Set<string> };
const done = new WeakMap<Ctx, Done>();

function doneIn(ctx: Ctx): Done {
  const known = done.get(ctx) ?? { isLocked: false, raised: new Set(), touched: new Set() };
  done.set(ctx, known);
  return known;
}

/**
 * The scopes in which a transaction has changed something, each once: its watermark is locked from then on, so what was found
 * to be due, or made so, stays so.
 */
export function takeTouched(ctx: Ctx): string[] {
  const { touched } = doneIn(ctx);
  const scopes = [...touched];
  touched.clear();
  return scopes;
}

/**
 * Call it before anything is read or written: from here to the commit nobody else takes in anything of this tenant. So
 * what is read is complete, and changes are numbered in the order of their commits.
 */
export function beginIngest(ctx: Ctx, { schema }: Where): void {
  const known = doneIn(ctx);
  if (known.isLocked) return;
  known.isLocked = true;
  ctx.write(lockEntity(ctx.tx, ctx.tenantId, { type: `${schema}.ingest`, id: ctx.tenantId }));
}

/** Something was taken in: raises the watermark of its scope, once per transaction, and says which days it touches (PROJ-02). */
export function noteChanges(
  ctx: Ctx,
  { schema }: Where,
  noted: { scopeId: string; topic: string; days: readonly Days[] },
): void {
  const { scopeId, topic, days } = noted;
  const { tx, tenantId } = ctx;
  beginIngest(ctx, { schema });
  const { raised, touched } = doneIn(ctx);
  if (!raised.has(scopeId)) {
    raised.add(scopeId);
    touched.add(scopeId);
    ctx.write(
      execute(
        tx,
        sql`insert into ${sql.identifier(schema)}.watermarks as w (tenant_id, scope_id, value, raised_at)
            values (${tenantId}, ${scopeId}, 1, ${ctx.now})
            on conflict (tenant_id, scope_id) do update
            set value = w.value + 1, raised_at = excluded.raised_at`,
      ),
    );
  }
  ctx.write(
    execute(
      tx,
      sql`insert into ${sql.identifier(schema)}.changes (tenant_id, scope_id, topic, subject, from_date, until_date, at)
          select distinct ${tenantId}::uuid, ${scopeId}::uuid, ${topic}, d.subject, d.from_date, d.until_date, d.at
          from unnest(${sql.param(days.map(({ subject }) => subject ?? ''))}::text[],
                      ${sql.param(days.map(({ from }) => from))}::date[],
                      ${sql.param(days.map(({ until }) => until))}::date[],
                      ${sql.param(days.map(({ at }) => at ?? null))}::timestamptz[]) as d (subject, from_date, until_date, at)
          on conflict on constraint changes_once do update
          set id = default`,
    ),
  );
}

/** How far what was taken in of a scope reaches; 0 when nothing was. */
export async function currentWatermark(ctx: Ctx, { schema }: Where, scopeId: string): Promise<number> {
  const found = await row<{ value: bigint }>(
    ctx.tx,
    sql`select value
        from ${sql.identifier(schema)}.watermarks
        where tenant_id = ${ctx.tenantId} and scope_id = ${scopeId}`,
  );
  return Number(found?.value ?? 0);
}
