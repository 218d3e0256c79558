import type { Database } from '@ghasi/db/database';
import { escapeIdentifier, escapeLiteral } from 'pg';
import type { StoredEnvelope } from './registry-stored.ts';

/** How far a walk through everything stored has come. */
export type StoredPage = { readonly rows: readonly StoredEnvelope[]; readonly total: number };

/**
 * Every event that is kept anywhere, a page at a time and as it was when the walk began: the log, messages of parked and
 * dead keys, and what the outboxes of these schemas hold, their quarantine and archive too. `db` is signed in as `relay`.
 */
export async function* storedEnvelopes(
  db: Database,
  schemas: readonly string[],
): AsyncGenerator<StoredPage, void, undefined> {
  const statements = statementsFor(schemas);
  const client = await db.pool.connect();
  let broken = true;
  try {
    await client.query('begin isolation level repeatable read read only');
    await client.query(WITHOUT_LIMITS);
    const counted = await client.query<{ total: number }>(statements.count);
    const total = counted.rows[0]?.total ?? 0;
    await client.query(statements.open);
    for (;;) {
      const { rows } = await client.query<StoredEnvelope>('fetch 500 from stored');
      if (rows.length === 0) break;
      yield { rows, total };
    }
    await client.query('commit');
    broken = false;
  } finally {
    client.release(broken); // whoever stops in the middle leaves a transaction behind
  }
}

/** The limits of the role are for work that somebody waits for; a walk through millions takes minutes. */
const WITHOUT_LIMITS = `select set_config(name, '0', true) from pg_settings where name in ('transaction_timeout', 'statement_timeout')`;

function statementsFor(schemas: readonly string[]): { count: string; open: string } {
  const everything = [
    `select format('parked for %s, offset %s', subscription, off) as "where", envelope::text from brokers.parked_message`,
    ...schemas.flatMap(schema =>
      ['outbox', 'outbox_quarantine', 'outbox_archive'].map(
        table =>
          `select format('%s number %s', ${escapeLiteral(`${schema}.${table}`)}, seq), envelope::text
           from ${escapeIdentifier(schema)}.${table}`,
      ),
    ),
    // the log last: it has the most, and who stops in the middle has seen what waits for a decision
    `select format('log %s shard %s offset %s', day, shard, off), envelope::text from brokers.log`,
  ].join('\nunion all ');
  return {
    count: `select count(*)::float8 as total from (${everything}) s`,
    open: `declare stored no scroll cursor for ${everything}`,
  };
}
