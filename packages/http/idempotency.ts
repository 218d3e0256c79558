import { type SQL, sql } from '@ghasi/db/drizzle';
import { touch } from '@ghasi/db/optimistic';
import { execute, row } from '@ghasi/db/sql';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { IDEMPOTENCY_KEPT_MS, IDEMPOTENCY_LEASE_MS } from './limits.ts';
import type { Rendered } from './output.ts';

/** Whose key this is and what for; the tenant comes from the transaction. */
export type KeyScope = {
  schema: string;
  /** `operator:usr_…`; another principal's key is another row. */
  principal: string;
  /** Method and route template, e.g. `POST /v1/reservations/:id/cancel`. */
  operation: string;
  key: string;
};

/** What the key decided. Only the holder of the fence may complete. */
export type Claim =
  | { kind: 'first' | 'reclaimed'; fence: bigint }
  | { kind: 'replayed'; rendered: Rendered }
  | { kind: 'in_flight' }
  | { kind: 'mismatch' };

/**
 * Takes the key for one attempt, or says why not. Its transaction must commit before the work starts (ledger X-104),
 * so that a duplicate anywhere sees it. All times are the database's.
 */
export async function claimKey(
  tx: Ctx['tx'],
  scope: KeyScope,
  requestHash: string,
  leaseMs: number = IDEMPOTENCY_LEASE_MS,
): Promise<Claim> {
  const claimed = await row<{ fence: bigint; inserted: boolean }>(
    tx,
    sql`
      insert into ${table(scope)} as held
        (tenant_id, principal, operation, key, request_hash, state, locked_until, created_at, expires_at)
      values
        (app.tenant_id(), ${scope.principal}, ${scope.operation}, ${scope.key}, ${requestHash}, 'PROCESSING',
         clock_timestamp() + ${`${leaseMs} ms`}::interval, clock_timestamp(),
         clock_timestamp() + ${`${IDEMPOTENCY_KEPT_MS} ms`}::interval)
      on conflict (tenant_id, principal, operation, key) do update
      set request_hash = excluded.request_hash,
          state = excluded.state,
          locked_until = excluded.locked_until,
          fence = excluded.fence,
          status_code = null,
          headers = null,
          body = null,
          created_at = excluded.created_at,
          expires_at = excluded.expires_at
      where held.expires_at <= clock_timestamp()
         or held.request_hash = excluded.request_hash
            and (held.state = 'FAILED' or held.state = 'PROCESSING' and held.locked_until <= clock_timestamp())
      returning fence, xmax = 0 as inserted`,
  );
  if (claimed) return { kind: claimed.inserted ? 'first' : 'reclaimed', fence: claimed.fence };
  return readHolder(tx, scope, requestHash);
}

type Holder = {
  same: boolean;
  state: string;
  status_code: number | null;
  headers: Record<string, string>;
  body: Buffer;
};

/** The conflicting row. A statement of its own: it must see what the insert waited for. */
async function readHolder(tx: Ctx['tx'], scope: KeyScope, requestHash: string): Promise<Claim> {
  const held = await row<Holder>(
    tx,
    sql`
      select request_hash = ${requestHash} as same, state, status_code, headers, body
      from ${table(scope)}
      where ${isKey(scope)}`,
  );
  // The insert locked the row, so it cannot have gone; only the pruner deletes, and it skips locked rows.
  if (held === undefined) throw new Error('an idempotency row vanished while it was locked');
  if (!held.same) return { kind: 'mismatch' };
  if (held.state !== 'CACHED_RESPONSE' || held.status_code === null) return { kind: 'in_flight' };
  const { status_code: status, headers, body } = held;
  return { kind: 'replayed', rendered: { status, headers, body, cookies: [] } };
}

/** The lease was taken over by somebody else meanwhile: the effect of this worker must not commit. */
export class LeaseLost extends Error {}

/** Stores the answer, in the transaction of the effect; fails, and the effect with it, with {@link LeaseLost}. */
export function completeKey(
  tx: Ctx['tx'],
  scope: KeyScope,
  fence: bigint,
  rendered: Rendered,
): Promise<void> {
  const update = sql`
      update ${table(scope)}
      set state = 'CACHED_RESPONSE',
          locked_until = null,
          status_code = ${rendered.status},
          headers = ${JSON.stringify(rendered.headers)}::jsonb,
          body = ${rendered.body}
      where ${isKey(scope)}
        and state = 'PROCESSING'
        and fence = ${fence}`;
  return touch(tx, update, () => new LeaseLost());
}

/** Gives the key back after a failure that may pass: the next attempt is a new request (ledger IDEM-04). */
export async function failKey(tx: Ctx['tx'], scope: KeyScope, fence: bigint): Promise<void> {
  await execute(
    tx,
    sql`
      update ${table(scope)}
      set state = 'FAILED',
          locked_until = null
      where ${isKey(scope)}
        and state = 'PROCESSING'
        and fence = ${fence}`,
  );
}

/**
 * Deletes rows whose 24 hours are over, of all tenants, at most `limit` per call; run hourly as `maintenance` (ledger
 * X-106). Returns how many: ask again while it returns `limit`.
 */
export function pruneKeys(tx: Ctx['tx'], schema: string, limit = 5_000): Promise<number> {
  const name = table({ schema });
  return execute(
    tx,
    sql`
      delete from ${name}
      where (tenant_id, principal, operation, key) in (
        select tenant_id, principal, operation, key
        from ${name}
        where expires_at <= clock_timestamp()
          and (locked_until is null or locked_until <= clock_timestamp())
        order by expires_at
        limit ${limit}
        for update skip locked)`,
  );
}

function table({ schema }: { schema: string }): SQL {
  return sql`${sql.identifier(schema)}.idempotency`;
}

function isKey({ principal, operation, key }: KeyScope): SQL {
  return sql`tenant_id = app.tenant_id() and principal = ${principal} and operation = ${operation} and key = ${key}`;
}
