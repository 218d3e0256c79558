import type { Database } from '@ghasi/db/database';
import { sql } from '@ghasi/db/drizzle';
import { rows } from '@ghasi/db/sql';
import { type Entry, look } from './operation.ts';

/** Something an operator did to messages on their way: one step of it, where it was done in several. */
export type Operation = {
  readonly id: string;
  readonly at: Date;
  readonly actor: string;
  readonly action: Entry['action'];
  readonly reason: string;
  readonly detail: Readonly<Record<string, unknown>>;
};

/** Which operations; what is left out matches all. */
export type OperationFilter = {
  readonly since?: Date;
  /** Those that touched messages or jobs of this tenant, those for all tenants among them. */
  readonly tenantId?: string;
  readonly limit?: number;
};

/** What operators did, the latest first (DLQ-25, BROKER-19). */
export function listOperations(
  db: Database,
  { since, tenantId, limit }: OperationFilter = {},
): Promise<Operation[]> {
  const touched = (list: string) =>
    sql`o.detail @> jsonb_build_object(${list}::text, jsonb_build_array(jsonb_build_object('tenantId', ${tenantId}::text)))`;
  return look(db, tx =>
    rows<Operation>(
      tx,
      sql`select o.id, o.at, o.actor, o.action, o.reason, o.detail
          from brokers.operation o
          where true
            ${since === undefined ? sql`` : sql`and o.at >= ${since}`}
            ${
              tenantId === undefined
                ? sql``
                : sql`and (o.detail ->> 'tenantId' = ${tenantId}
                       or ${touched('letters')} or ${touched('events')} or ${touched('jobs')}
                       or not o.detail ?| array['tenantId', 'letters', 'events', 'jobs'])`
            }
          order by o.at desc, o.id
          limit ${limit ?? null}`,
    ),
  );
}
