import { escapeIdentifier, escapeLiteral } from 'pg';

/** Whose backlog: the services that publish, and the ones that consume with the topics they listen to. */
export type BacklogShape = {
  readonly services: readonly { readonly name: string; readonly schema: string }[];
  readonly subscriptions: readonly { readonly name: string; readonly topics: readonly string[] }[];
};

/** Rows of an outbox that are counted; more look like this many. Above every threshold somebody alerts on. */
export const MOST_IN_OUTBOX = 10_000;
/** Rows of the log that are looked at for each subscription, the oldest first. */
export const LOOKED_AT = 1_000;
/** Dead letters, and keys and messages that wait for another attempt, counted for each subscription. */
export const MOST_DEAD = 1_000;
export const MOST_PARKED = 20_000;

/**
 * One line of the answer. `outbox`: unpublished rows of a topic and the age of the oldest. `unread`: the same of a
 * subscription, among what was looked at. `looked`: how many rows that were, the age of the last, and how far the log
 * goes `beyond`. `parked`: keys that are tried again; `waiting`: messages of parked keys; `dead`: dead letters of a topic.
 */
export type BacklogRow = {
  readonly kind: 'outbox' | 'unread' | 'looked' | 'parked' | 'waiting' | 'dead';
  readonly name: string;
  readonly topic: string | null;
  readonly n: number;
  readonly seconds: number;
  readonly beyond: number;
};

type Seen = { readonly after: number; readonly holes: string };

/** The statement and its values. */
export function backlogStatement(
  { services, subscriptions }: BacklogShape,
  seen: (schema: string) => Seen,
): { text: string; values: unknown[] } {
  const heard = subscriptions.flatMap(({ name, topics }) => topics.map(topic => [name, topic] as const));
  const places = services.map(({ schema }) => seen(schema));
  const outboxes = services.map((service, place) => outboxPart(service, place * 2 + 4));
  return {
    text: [subscriptionsPart, ...outboxes].join('\n  union all'),
    values: [
      subscriptions.map(({ name }) => name),
      heard.map(([name]) => name),
      heard.map(([, topic]) => topic),
      ...places.flatMap(({ after, holes }) => [after, holes]),
    ],
  };
}

const age = (moment: string) => `extract(epoch from clock_timestamp() - ${moment})::float8`;

/**
 * Above what the relay has seen: below are rows long moved, which an old snapshot may keep in the index, and walking
 * over them would have no limit. The status is looked at last, for the same reason.
 */
function outboxPart({ name, schema }: { name: string; schema: string }, parameter: number): string {
  const table = `${escapeIdentifier(schema)}.outbox`;
  return `
  select 'outbox' as kind, ${escapeLiteral(name)} as name, w.topic, count(*)::float8 as n,
         ${age('min(w.enqueued_at)')} as seconds, 0::float8 as beyond
  from (
    (select o.topic, o.enqueued_at, o.status
     from ${table} o
     where o.seq > $${parameter}::bigint
     order by o.seq
     limit ${MOST_IN_OUTBOX})
    union all
    select o.topic, o.enqueued_at, o.status
    from unnest($${parameter + 1}::int8multirange) as h (numbers)
    cross join lateral (
      select r.topic, r.enqueued_at, r.status
      from ${table} r
      where r.seq >= lower(h.numbers) and r.seq < upper(h.numbers)
      order by r.seq
      limit ${MOST_IN_OUTBOX}
    ) o
    limit ${MOST_IN_OUTBOX}
  ) w
  where w.status in ('pending', 'retrying')
  group by w.topic`;
}

// The log has no index by topic, and needs none for this: the oldest unread rows are read by their offset, as a consumer
// reads them. Counting all of them would cost more the further somebody is behind, just when the database has no time.
const subscriptionsPart = `
  with name as (
    select n.name from unnest($1::text[]) as n (name)
  ), place as (
    select c.subscription as name, min(c.off) as low, min(c.day) as day, array_agg(c.off order by c.shard) as offs
    from brokers.cursor c
    where c.subscription = any($1) and c.broker = 'postgres' -- of others the log knows nothing
    group by c.subscription
  ), looked as materialized (
    select p.name, l.off, l.published_at,
           case
             when h.topic is null or l.off <= p.offs[l.shard + 1] then null
             when coalesce(brokers.readable(l.attributes) ->> 'replayTarget', p.name) = p.name then h.topic
           end as topic
    from place p
    cross join lateral (
      select l.off, l.shard, l.topic, l.attributes, l.published_at
      from brokers.log l
      where l.day >= p.day and l.off > p.low
      order by l.off
      limit ${LOOKED_AT}
    ) l
    left join unnest($2::text[], $3::text[]) as h (name, topic) on h.name = p.name and h.topic = l.topic
  )
  select 'unread' as kind, l.name, l.topic, count(*)::float8 as n, ${age('min(l.published_at)')} as seconds,
         0::float8 as beyond
  from looked l
  where l.topic is not null
  group by l.name, l.topic
  union all
  select 'looked', l.name, null, count(*), ${age('max(l.published_at)')},
         (select h.off from brokers.log h order by h.off desc limit 1) - max(l.off)
  from looked l
  group by l.name
  union all
  select 'parked', n.name, null, (
    select count(*) from (
      select from brokers.parked_key k where k.subscription = n.name and k.state = 'retrying' limit ${MOST_PARKED}
    ) k), 0, 0
  from name n
  union all
  select 'waiting', n.name, null, (
    select count(*) from (
      select from brokers.parked_message m where m.subscription = n.name limit ${MOST_PARKED}
    ) m), 0, 0
  from name n
  union all
  select 'dead', k.subscription, k.topic, count(*), 0, 0
  from name n
  cross join lateral (
    select k.subscription, h.topic
    from (
      select k.tenant_id, k.subscription, k.park_key
      from brokers.parked_key k
      where k.subscription = n.name and k.state = 'dead'
      limit ${MOST_DEAD}
    ) k
    cross join lateral (
      select m.topic
      from brokers.parked_message m
      where m.tenant_id = k.tenant_id and m.subscription = k.subscription and m.park_key = k.park_key
      order by m.off
      limit 1
    ) h
  ) k
  group by k.subscription, k.topic`;
