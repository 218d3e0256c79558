import { Backbone } from '@ghasi/backbone/backbone';
import { defineService, type Service } from '@ghasi/backbone/define-service';
import { backboneMigrations } from '@ghasi/backbone/migrations';
import { on, onMany, type Reaction } from '@ghasi/backbone/reaction';
import { createRegistry } from '@ghasi/backbone/registry';
import { createSigner } from '@ghasi/backbone/signature';
import { brokerMigrations } from '@ghasi/brokers/migrations';
import { accepted } from '@ghasi/db/accepted';
import { type Database, openDatabase } from '@ghasi/db/database';
import { sql } from '@ghasi/db/drizzle';
import { migrate } from '@ghasi/db/migrate';
import { roleUrl, serviceRole } from '@ghasi/db/roles';
import { execute } from '@ghasi/db/sql';
import { type Ctx, tenantTransaction } from '@ghasi/db/tenant-transaction';
import { tenantWrite, type WriteCtx } from '@ghasi/db/tenant-write';
import { parseTenantId } from '@ghasi/domain-primitives/ids';
import { eventCatalogue } from '@ghasi/event-envelope/catalogue';
import pg from 'pg';
import { z } from 'zod';
import { type BenchEvent, type Contender, groupsOf, type Place } from '../contender.ts';
import { createGround, onClient, PRODUCERS } from '../ground.ts';

const SECRET = 'benchmark-only-secret-of-32-characters';
/** Whose events the benchmark writes. */
export const who = {
  tenantId: parseTenantId('019b0000-0000-7000-8000-000000000001'),
  actor: { type: 'system', id: 'bench' },
} as const;

const { defineEvent } = eventCatalogue({ prefix: 'bench', services: { booking: 'booking-service' } });
/** The event of the benchmark. */
export const BookingConfirmed = defineEvent({
  subject: 'bench.booking.booking.confirmed.v1',
  summary: 'a booking was confirmed',
  retention: 'warm',
  payload: z.strictObject({ id: z.uuid(), filler: z.string() }),
  aggregateId: ({ id }) => id,
  idempotencyKey: ({ id }) => `${id}:confirmed`,
});
const registry = createRegistry([BookingConfirmed]);

/** The service that writes. */
export const booking = defineService({
  name: 'booking-service',
  schema: 'booking',
  migrations: new URL('../melmastoon/booking/', import.meta.url),
  publishes: [BookingConfirmed],
});

/** What a consumer does with events. */
type React = (group: number) => Reaction<BenchEvent['body']>;

/** Effects of a batch in one statement that nobody waits for, as a projection would write them. */
const byTheBatch: React = group =>
  onMany(BookingConfirmed, (ctx, messages) => {
    const ids = messages.map(({ payload }) => payload.id);
    ctx.write(addEffects(ctx, group, ids));
  });

/** A statement for each event, as most reactions are. */
const oneByOne: React = group => on(BookingConfirmed, (ctx, { id }) => addEffects(ctx, group, [id]));

/** How a producer writes business row and event. */
type Write = (db: Database, body: BenchEvent['body']) => Promise<unknown>;

/** It waits for no answer, so those who come together share a COMMIT. */
const together: Write = (db, body) =>
  tenantWrite(db, who, ctx => {
    ctx.write(addBooking(ctx, body));
    return accepted(undefined, [occurred(body)]);
  });

/** It waits for the answer to its first statement, as a use case that reads something does. */
const alone: Write = (db, body) =>
  tenantTransaction(db, who, async ctx => {
    await addBooking(ctx, body);
    return accepted(undefined, [occurred(body)]);
  });

/** The default row of the table. */
export const contender = melmastoon({
  title: 'Melmastoon, tenantWrite, onMany',
  writes: 'tenantWrite: producers wait for no statement and share a transaction with whoever comes meanwhile',
  write: together,
  handler: 'a batch handler writes its effects in one statement',
  react: byTheBatch,
});

/** A transaction for each event. */
export const each = melmastoon({
  title: 'Melmastoon, tenantTransaction, onMany',
  writes: 'tenantTransaction: a transaction for each event',
  write: alone,
  handler: 'as above',
  react: byTheBatch,
});

/** A transaction and a handler for each event. */
export const single = melmastoon({
  title: 'Melmastoon, tenantTransaction, on',
  writes: 'as above',
  write: alone,
  handler: 'a handler gets one event and writes one effect',
  react: oneByOne,
});

/** How one of our rows differs from the others. */
type Way = { title: string; writes: string; write: Write; handler: string; react: React };

/** Our own: relay in the writing process, consumers in theirs. */
function melmastoon({ title, writes, write, handler, react }: Way): Contender {
  return {
    title,
    packages: [],
    peer: false,
    needsRedis: false,
    oneTransaction: true,
    notes: [
      `${writes}; accepted(…, [event]) under row-level security, signed envelopes, a key per event, one tenant; a consumer = a service`,
      `${handler}; exactly once by inbox and fence in the handler’s transaction, effect log without a unique key`,
    ],
    async prepare(place) {
      await createGround(place.url, { unique: false });
      const sets = servicesOf(place).map(({ schema, migrations }) => ({ schema, folder: migrations }));
      await migrate(place.url, [brokerMigrations, backboneMigrations, ...sets], { secret: SECRET });
      await onClient(place.url, client => client.query(judgeSql(place)));
    },
    async writer(place) {
      const { db, stop } = await start(place, [booking], { relay: !place.alone, consumers: false });
      const database = db.booking as Database;
      return {
        write: ({ body }) => write(database, body),
        fill: events =>
          tenantTransaction(database, who, async () =>
            accepted(
              undefined,
              events.map(event => occurred(event.body)),
            ),
          ),
        stop,
      };
    },
    async consumers(place) {
      return start(place, consumersOf(place, react), { relay: true, consumers: true });
    },
  };
}

/** The event of a business row. */
export function occurred(body: BenchEvent['body']) {
  return BookingConfirmed.from(body, { aggregateVersion: 1 });
}

/** The business row itself. */
export function addBooking({ tx, tenantId }: WriteCtx, { id }: BenchEvent['body']): Promise<unknown> {
  return execute(
    tx,
    sql`insert into booking.bookings (tenant_id, id, guest) values (${tenantId}, ${id}, 'guest')`,
  );
}

function consumersOf(place: Place, react: React = byTheBatch): Service[] {
  return groupsOf(place).map(group =>
    defineService({
      name: `consumer-${group}-service`,
      schema: `consumer_${group}`,
      migrations: new URL('../melmastoon/consumer/', import.meta.url),
      reacts: [react(group)],
    }),
  );
}

async function addEffects(ctx: Ctx, group: number, ids: readonly string[]): Promise<void> {
  const effects = sql`${sql.identifier(`consumer_${group}`)}.${sql.identifier('effects')}`;
  await execute(
    ctx.tx,
    sql`insert into ${effects} (tenant_id, booking_id) select ${ctx.tenantId}, unnest(${sql.param(ids)}::uuid[])`,
  );
}

function servicesOf(place: Place): Service[] {
  return [booking, ...consumersOf(place)];
}

/** Opens the backbone of some services on a place. */
export async function start(
  place: Place,
  services: Service[],
  roles: { relay: boolean; consumers: boolean },
) {
  const backbone = new Backbone({
    services,
    registry,
    signer: createSigner([{ id: 'bench', secret: SECRET }]),
    producedBy: { instance: 'bench-1', commit: '0000000', region: 'me-central1' },
    dataResidency: 'me-central1',
  });
  const open = (role: string, schema?: string) =>
    openDatabase({
      url: roleUrl(place.url, role, SECRET),
      service: role,
      max: PRODUCERS,
      ...(schema === undefined ? {} : { outbox: backbone.outboxOf(schema) }),
    });
  const db = Object.fromEntries(services.map(({ schema }) => [schema, open(serviceRole(schema), schema)]));
  const relayDb = open('relay');
  const subscriptions = consumersOf(place).map(({ name }) => name);
  await backbone.start({ ...roles, relayDb, databases: db, subscriptions });
  return {
    db,
    async stop() {
      await backbone.stop();
      await Promise.all([relayDb, ...Object.values(db)].map(database => database.close()));
    },
  };
}

/** What the judge reads, over the tables of the services. */
function judgeSql(place: Place): string {
  const tables = groupsOf(place).map(group => `consumer_${group}.effects`);
  const applied = tables.map(
    (table, index) =>
      `select ${index + 1}::smallint as consumer, booking_id as event_id, pg_xact_commit_timestamp(xmin) as committed_at from ${table}`,
  );
  const progress = tables.map(
    table => `(select case when is_called then last_value else 0 end from ${table}_seq_seq)`,
  );
  return `
    create or replace view bench.written as
      select id as event_id, pg_xact_commit_timestamp(xmin) as committed_at from booking.bookings
      union all select id, pg_xact_commit_timestamp(xmin) from bench.booking;
    create or replace view bench.applied as ${applied.join(' union all ')};
    create or replace function bench.progress() returns bigint language sql as
      ${pg.escapeLiteral(`select (${progress.join(' + ')})::bigint`)};
  `;
}
