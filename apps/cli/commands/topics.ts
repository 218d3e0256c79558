import type { Database } from '@ghasi/db/database';
import { cliErrors } from '../errors.ts';

/** Loaded only when somebody asks for topics: all services together take over a second. */
const services = async () => (await import('./with-database.ts')).describedServices();

/** The topics a service listens to, older versions too; undefined for one this release does not know. */
export async function topicsOf(subscription: string): Promise<readonly string[] | undefined> {
  const { versionsOf } = await import('@ghasi/backbone/read-delivery');
  const service = (await services()).find(({ name }) => name === subscription);
  return service?.reacts.flatMap(({ event }) => versionsOf(event).map(({ subject }) => subject));
}

/**
 * A topic without its `.dlq`, refused when no service declares it and no message carries it: a misspelt filter would
 * otherwise find nothing, and nothing looks like good news.
 */
export async function topicOf(db: Database, text: string): Promise<string> {
  const topic = text.replace(/\.dlq$/, '');
  const declared = (await services()).flatMap(({ publishes }) => publishes.map(({ subject }) => subject));
  if (declared.includes(topic) || (await isCarried(db, topic))) return topic;
  throw cliErrors.UNKNOWN_TOPIC({ topic, near: near(topic, declared).join(', ') || 'nothing' });
}

async function isCarried(db: Database, topic: string): Promise<boolean> {
  const { rows } = await db.pool.query(
    `select exists (select from brokers.parked_message where topic = $1)
         or exists (select from brokers.settled_letter where topic = $1)
         or exists (select from brokers.log where topic = $1) as carried`,
    [topic],
  );
  return rows[0]?.carried === true;
}

/** The declared topics that begin and end most like it. */
function near(topic: string, declared: readonly string[]): string[] {
  const alike = (other: string) =>
    same([...topic], [...other]) + same([...topic].reverse(), [...other].reverse());
  return declared
    .filter(other => alike(other) > topic.length / 2)
    .sort((one, other) => alike(other) - alike(one))
    .slice(0, 2);
}

function same(one: readonly string[], other: readonly string[]): number {
  const differs = one.findIndex((letter, place) => letter !== other[place]);
  return differs === -1 ? one.length : differs;
}
