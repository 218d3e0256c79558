import type { Database } from '@ghasi/db/database';
import { sql } from '@ghasi/db/drizzle';
import { execute, rows } from '@ghasi/db/sql';
import { systemTransaction } from '@ghasi/db/tenant-transaction';
import type { Outgoing, Published } from '../../broker.ts';

const broker = { actor: { type: 'system', id: 'postgres-broker' } } as const;

/** Appends messages to the log, all or none. For tools and tests: outboxes are moved by `outbox_move` on the server. */
export async function append(db: Database, messages: readonly Outgoing[]): Promise<Published[]> {
  if (messages.length === 0) return [];
  const column = (of: (message: Outgoing) => string) => sql.param(messages.map(of));
  const appended = await systemTransaction(db, broker, async ({ tx }) => {
    await execute(tx, sql`select pg_advisory_xact_lock(brokers.append_lock())`);
    return rows<{ off: number }>(
      tx,
      sql`insert into brokers.log
            (day, off, shard, topic, ordering_key, event_id, tenant_id, envelope, attributes, source, enqueued_at)
          select t.day, nextval('brokers.log_off'), brokers.shard_of(m.ordering_key), m.topic, m.ordering_key,
                 m.event_id, m.tenant_id, m.envelope::json, m.attributes::json, 'publish', m.enqueued_at
          from (select brokers.log_today() as day) t
          cross join (
            select u.*
            from unnest(${column(({ topic }) => topic)}::text[], ${column(({ orderingKey }) => orderingKey)}::text[],
                        ${column(({ eventId }) => eventId)}::uuid[], ${column(({ tenantId }) => tenantId)}::uuid[],
                        ${column(({ envelope }) => envelope)}::text[],
                        ${column(({ attributes }) => JSON.stringify(attributes))}::text[],
                        ${column(({ enqueuedAt }) => enqueuedAt.toISOString())}::timestamptz[])
              with ordinality
              as u (topic, ordering_key, event_id, tenant_id, envelope, attributes, enqueued_at, place)
            order by u.place
          ) m
          returning off::float8 as off`,
    );
  });
  return appended.map(({ off }) => ({ ok: true, id: String(off) }));
}

/** How many messages of its topics a subscription has not read, by its cursors. */
export async function unread(db: Database, subscription: string, topics: readonly string[]): Promise<number> {
  const { rows: found } = await db.pool.query<{ n: number }>(
    `select count(*)::int as n
     from brokers.cursor c
     join brokers.log l on l.day >= c.day and l.off > c.off and l.shard = c.shard
     where c.subscription = $1 and l.topic = any($2)
       and coalesce(l.attributes ->> 'replayTarget', $1) = $1`,
    [subscription, topics],
  );
  return found[0]?.n ?? 0;
}
