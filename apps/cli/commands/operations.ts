import { listOperations, type Operation } from '@ghasi/brokers/operations/operations';
import { type CutFlags, cut, limitOf, oneMore } from './cut.ts';
import { type LookFlags, spanOf, tenantOf } from './given.ts';
import { oneLine, room, second, whole } from './said.ts';
import { BELOW, table } from './table.ts';
import { withRelay } from './with-relay.ts';

/** Flags of `melm operations`. */
export type OperationsFlags = LookFlags & CutFlags & { since?: string };

/** Lists who replayed, skipped, moved or removed what, and why; the latest first (DLQ-25, BROKER-19). */
export async function operations(flags: OperationsFlags): Promise<void> {
  const limit = limitOf(flags);
  const filter = { ...tenantOf(flags), ...spanOf(flags), ...oneMore(limit) };
  const { rows, more } = cut(await withRelay(flags, db => listOperations(db, filter)), limit);
  if (flags.json) console.log(JSON.stringify(rows));
  else console.log(rows.length === 0 ? 'Nobody has changed anything.' : table(rows, rowOf, below) + more);
}

function rowOf({ at, actor, action, detail }: Operation) {
  return {
    at: second(at),
    by: oneLine(actor, 30),
    what: action,
    of: oneLine(subjectsOf(detail).join(', '), 40),
    count: typeof detail.count === 'number' ? whole(detail.count) : '',
  };
}

function below({ reason, detail }: Operation): string[] {
  const { filter } = detail as { filter?: { tenantId?: string } };
  const tenant = detail.tenantId ?? filter?.tenantId;
  return [oneLine(reason, room(BELOW)), typeof tenant === 'string' ? `tenant ${tenant}` : ''];
}

/** Whom it was about: a subscription, a consumer, an outbox or types of jobs. */
function subjectsOf(detail: Operation['detail']): string[] {
  const {
    filter,
    letters = [],
    jobs = [],
  } = detail as {
    filter?: Record<string, unknown>;
    letters?: readonly { subscription?: unknown }[];
    jobs?: readonly { type?: unknown }[];
  };
  const named = detail.subscription ?? detail.consumer ?? detail.schema ?? filter?.schema;
  const found =
    named === undefined
      ? [...letters.map(({ subscription }) => subscription), ...jobs.map(({ type }) => type)]
      : [named];
  return [...new Set(found.map(String))];
}
