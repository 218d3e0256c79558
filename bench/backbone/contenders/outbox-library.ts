import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { type BenchEvent, type Contender, groupsOf, type Place } from '../contender.ts';
import { bookingTransaction, createGround, effect, onClient, openPool, PRODUCERS } from '../ground.ts';
import { loadPeer } from '../peer.ts';

type Client = Pick<pg.ClientBase, 'query'>;
type Message = Record<'id' | 'aggregateType' | 'aggregateId' | 'messageType', string> & {
  concurrency: 'parallel';
  payload: object;
};
type Handler = { handle(message: Message, client: Client): Promise<void> };
type Listen = (config: object, handler: Handler, logger: object, strategies: object) => [() => Promise<void>];
type SetUp = (config: object) => string;
type Library = {
  DatabaseSetup: Record<
    | 'dropAndCreateTable'
    | 'setupReplicationCore'
    | 'setupReplicationSlot'
    | 'createPollingFunction'
    | 'setupPollingIndexes',
    SetUp
  >;
  initializeMessageStorage(
    config: object,
    logger: object,
  ): (message: Message, client: Client) => Promise<void>;
  initializePollingMessageListener: Listen;
  initializeReplicationMessageListener: Listen;
  createReplicationSemaphoreConcurrencyController(parallel: number): object;
  getDisabledLogger(): object;
};

/** The two ways in which the library hears of new messages. */
export type Listener = 'polling' | 'replication';

const PARALLEL = { one: 24, ofSix: 8 }; // handlers at once per box
const POLL_MS = 10;
const OUTBOX = 0;

/** pg-transactional-outbox with one of its two listeners. */
export function outboxLibrary(listener: Listener, title: string, settings: string): Contender {
  return {
    title,
    packages: ['pg-transactional-outbox'],
    peer: true,
    needsRedis: false,
    oneTransaction: true,
    notes: [
      `${settings}; attempt protections off (its default for an outbox), messages marked parallel`,
      'one consumer: the handler sits on the outbox itself, the shortest way when both share a database; five: outbox handler → five inboxes → five inbox listeners; exactly once because the library marks the message in the handler’s transaction',
    ],
    async prepare(place) {
      await createGround(place.url, { unique: false });
      const { DatabaseSetup } = await loadPeer<Library>('pg-transactional-outbox');
      await onClient(place.url, async client => {
        for (const box of boxesOf(place)) {
          const names = setUpNames(place, box);
          await client.query(DatabaseSetup.dropAndCreateTable(names));
          if (listener === 'polling') {
            await client.query(DatabaseSetup.createPollingFunction(names));
            await client.query(DatabaseSetup.setupPollingIndexes(names));
          } else {
            await client.query(DatabaseSetup.setupReplicationCore(names));
            for (const statement of DatabaseSetup.setupReplicationSlot(names).split(';'))
              if (statement.trim() !== '') await client.query(statement);
          }
        }
      });
    },
    async writer(place) {
      const library = await loadPeer<Library>('pg-transactional-outbox');
      const store = library.initializeMessageStorage(configOf(place, OUTBOX), library.getDisabledLogger());
      const pool = openPool(place, PRODUCERS);
      return {
        write: event => bookingTransaction(pool, event, client => store(messageOf(event), client)),
        fill: events =>
          pool.query(
            `insert into box_0.messages (id, aggregate_type, aggregate_id, message_type, concurrency, payload)
             select (event ->> 'id')::uuid, 'booking', event ->> 'id', 'confirmed', 'parallel', event
             from jsonb_array_elements($1::jsonb) as event`,
            [JSON.stringify(events.map(event => event.body))],
          ),
        stop: () => pool.end(),
      };
    },
    async consumers(place) {
      const library = await loadPeer<Library>('pg-transactional-outbox');
      const logger = library.getDisabledLogger();
      const inboxes = boxesOf(place).filter(box => box !== OUTBOX);
      const store = inboxes.map(box => library.initializeMessageStorage(configOf(place, box), logger));
      const forward: Handler = {
        async handle(message, client) {
          for (const storeIn of store) await storeIn(message, client);
        },
      };
      const stops = boxesOf(place).map(box => {
        const handler = box === OUTBOX && inboxes.length > 0 ? forward : effectHandler(Math.max(box, 1));
        const [stop] =
          listener === 'polling'
            ? library.initializePollingMessageListener(configOf(place, box), handler, logger, {})
            : library.initializeReplicationMessageListener(configOf(place, box), handler, logger, {
                concurrencyStrategy: library.createReplicationSemaphoreConcurrencyController(
                  parallelOf(place),
                ),
              });
        return stop;
      });
      if (listener === 'replication') await untilStreaming(place, stops.length);
      return { stop: () => Promise.all(stops.map(stop => stop())) };
    },
  };
}

function effectHandler(consumer: number): Handler {
  return {
    async handle({ id }, client) {
      await client.query(effect(consumer, id, false));
    },
  };
}

function parallelOf(place: Place): number {
  return place.groups === 1 ? PARALLEL.one : PARALLEL.ofSix;
}

/** Box 0 is the outbox; with several consumers each has an inbox, in a schema of its own. */
function boxesOf(place: Place): number[] {
  return place.groups === 1 ? [OUTBOX] : [OUTBOX, ...groupsOf(place)];
}

function setUpNames(place: Place, box: number): object {
  return {
    outboxOrInbox: box === OUTBOX ? 'outbox' : 'inbox',
    database: new URL(place.url).pathname.slice(1),
    schema: `box_${box}`,
    table: 'messages',
    listenerRole: 'postgres',
    nextMessagesName: 'next_messages',
    publication: `box_${box}`,
    replicationSlot: slotOf(place, box),
  };
}

function configOf(place: Place, box: number): object {
  return {
    outboxOrInbox: box === OUTBOX ? 'outbox' : 'inbox',
    dbListenerConfig: { connectionString: place.url },
    dbHandlerConfig: { connectionString: place.url, max: parallelOf(place) },
    settings: {
      dbSchema: `box_${box}`,
      dbTable: 'messages',
      enableMaxAttemptsProtection: false,
      enablePoisonousMessageProtection: false,
      dbPublication: `box_${box}`,
      dbReplicationSlot: slotOf(place, box),
      nextMessagesFunctionSchema: `box_${box}`,
      nextMessagesFunctionName: 'next_messages',
      nextMessagesBatchSize: 2 * parallelOf(place),
      nextMessagesPollingIntervalInMs: POLL_MS,
      messageCleanupIntervalInMs: 1_000,
      messageCleanupProcessedInSec: 1,
    },
  };
}

/** Slots are known to the whole server: the database's name makes them unique. */
function slotOf(place: Place, box: number): string {
  return `${new URL(place.url).pathname.slice(1)}_${box}`;
}

function messageOf(event: BenchEvent): Message {
  return {
    id: event.id,
    aggregateType: 'booking',
    aggregateId: event.id,
    messageType: 'confirmed',
    concurrency: 'parallel',
    payload: event.body,
  };
}

async function untilStreaming(place: Place, slots: number): Promise<void> {
  const text =
    'select count(*)::int as active from pg_replication_slots where active and database = current_database()';
  await onClient(place.url, async client => {
    while ((await client.query(text)).rows[0].active < slots) await delay(20);
  });
}
