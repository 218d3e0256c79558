import type { Database } from '@ghasi/db/database';
import { sendPrepared } from '@ghasi/db/send';
import type { Outgoing, Published } from '../../broker.ts';

/**
 * Appends messages to the log, all or none. For tools and tests: outboxes are moved by `outbox_move` on the server. In one
 * packet, which is one transaction: while the lock is held, nobody waits for this process.
 */
export async function append(db: Database, messages: readonly Outgoing[]): Promise<Published[]> {
  if (messages.length === 0) return [];
  const values = [
    messages.map(({ topic }) => topic),
    messages.map(({ orderingKey }) => orderingKey),
    messages.map(({ eventId }) => eventId),
    messages.map(({ tenantId }) => tenantId),
    messages.map(({ envelope }) => envelope),
    messages.map(({ attributes }) => JSON.stringify(attributes)),
    messages.map(({ enqueuedAt }) => enqueuedAt.toISOString()),
  ];
  const client = await db.pool.connect();
  let isBroken = true;
  try {
    const [, appended] = await Promise.all([
      sendPrepared(client, 'select pg_advisory_xact_lock(brokers.append_lock())', []),
      sendPrepared(client, insert, values),
    ]);
    isBroken = false;
    return appended.rows.map(({ off }) => ({ ok: true, id: String(off) }));
  } finally {
    client.release(isBroken);
  }
}

const insert = `
  insert into brokers.log
    (day, off, shard, topic, ordering_key, event_id, tenant_id, envelope, attributes, source, enqueued_at)
  select t.day, nextval('brokers.log_off'), brokers.shard_of(m.ordering_key), m.topic, m.ordering_key,
         m.event_id, m.tenant_id, m.envelope::json, m.attributes::json, 'publish', m.enqueued_at
  from (select brokers.log_today() as day) t
  cross join (
    select u.*
    from unnest($1::text[], $2::text[], $3::uuid[], $4::uuid[], $5::text[], $6::text[], $7::timestamptz[]) with ordinality
      as u (topic, ordering_key, event_id, tenant_id, envelope, attributes, enqueued_at, place)
    order by u.place
  ) m
  returning off::float8 as off`;

/** How many messages of its topics a subscription has not read, by its cursors. */
export async function unread(db: Database, subscription: string, topics: readonly string[]): Promise<number> {
  const { rows: found } = await db.pool.query<{ n: number }>(
    `select count(*)::int as n
     from brokers.cursor c
     join brokers.log l on l.day >= c.day and l.off > c.off and l.shard = c.shard
     where c.subscription = $1 and l.topic = any($2)
       and coalesce(brokers.readable(l.attributes) ->> 'replayTarget', $1) = $1`,
    [subscription, topics],
  );
  return found[0]?.n ?? 0;
}
