import { createInterface } from 'node:readline';
import { Backbone } from '@ghasi/backbone/backbone';
import { backboneMigrations } from '@ghasi/backbone/migrations';
import { createRegistry } from '@ghasi/backbone/registry';
import { recordReleased } from '@ghasi/backbone/registry-released';
import { createSigner } from '@ghasi/backbone/signature';
import { brokerMigrations } from '@ghasi/brokers/migrations';
import { openDatabase } from '@ghasi/db/database';
import { startEmbeddedPostgres } from '@ghasi/db/embedded';
import { migrate } from '@ghasi/db/migrate';
import { roleUrl, serviceRole } from '@ghasi/db/roles';
import { createLogger } from '@ghasi/telemetry/logger';
import { orders } from '../01-first-service/orders/service.ts';
import { stock } from '../01-first-service/stock/service.ts';
import { answer } from './answer.ts';

// The passwords of all roles derive from this secret, and it signs events: the same for every process, and yours alone.
const secret = process.env.SHOP_SECRET ?? 'only for trying it out, never where it counts';
const log = createLogger({ name: 'shop', level: 'warn' });

// 1. A PostgreSQL: yours, with an administrator's address, or one that comes with the packages and lives in a folder.
const dataDir = process.env.SHOP_FOLDER ?? '.melmastoon/shop';
const given = process.env.DATABASE_URL;
const own = given === undefined ? await startEmbeddedPostgres({ dataDir, password: secret }) : undefined;
const adminUrl = given ?? own?.adminUrl ?? '';

// 2. Schemas, roles and tables: the backbone's, the log's, then each service's. What is there already is left alone.
const services = [orders, stock];
const sets = services.map(({ schema, migrations: folder }) => ({ schema, folder }));
await migrate(adminUrl, [backboneMigrations, brokerMigrations, ...sets], { secret, log });
// Processes of other releases accept the payload schemas that are written down here: older ones what this one publishes,
// newer ones what it has left behind. What has an unknown schema becomes a dead letter.
const registry = createRegistry(services.flatMap(({ publishes }) => publishes));
await recordReleased(adminUrl, { schemas: registry.schemas(), actor: 'shop' });

// 3. The backbone, and one pool for each service under its own role, plus one for the relay.
const backbone = new Backbone({
  services,
  registry,
  signer: createSigner([{ id: 'k1', secret }]),
  producedBy: { instance: `shop-${process.pid}`, commit: '0000000', region: 'me-central1' },
  dataResidency: 'me-central1',
  log,
});
const open = (schema: string) =>
  openDatabase({
    url: roleUrl(adminUrl, serviceRole(schema), secret),
    service: schema,
    outbox: backbone.outboxOf(schema),
    log,
  });
const databases = { orders: open('orders'), stock: open('stock') };
const relayDb = openDatabase({ url: roleUrl(adminUrl, 'relay', secret), service: 'relay', log });
await backbone.start({ relayDb, databases });

// 4. Work, until Ctrl-C or the end of the input.
process.stdout.write('The shop is open: "order o1 tea 3", "stock tea", Ctrl-C\n');
const lines = createInterface({ input: process.stdin });
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => lines.close());
for await (const line of lines) process.stdout.write(`${await answer(databases, line)}\n`);

// 5. The end, in reverse order: handlers finish, cursors are written down, nothing is lost.
await backbone.stop();
await Promise.all([...Object.values(databases), relayDb].map(db => db.close()));
await own?.stop();
process.stdout.write('The shop is closed\n');
