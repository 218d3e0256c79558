import type { Backbone } from '@ghasi/backbone/backbone';
import type { Service } from '@ghasi/backbone/define-service';
import { type Database, openDatabase } from '@ghasi/db/database';
import { roleUrl, serviceRole } from '@ghasi/db/roles';
import type { Metrics } from '@ghasi/telemetry/metrics';
import type { TestDatabase } from './database.ts';

/** Connections of one process to a test's database. */
export type SystemDatabases = {
  /** By schema, each as its service's role and with its outbox. */
  readonly services: Readonly<Record<string, Database>>;
  readonly relay: Database;
  readonly maintenance: Database;
  readonly jobsWorker: Database;
  of(service: Pick<Service, 'schema'>): Database;
  /** Asks as the administrator, past row-level security, with `schema` as the search path. */
  query<Row>(schema: string, text: string, values?: unknown[]): Promise<Row[]>;
  close(): Promise<void>;
};

const POOL = 5;

/** Opens a pool for each role that the services need; connections are made when first used. */
export function openDatabases(
  { adminUrl, secret }: Pick<TestDatabase, 'adminUrl' | 'secret'>,
  services: readonly Service[],
  { backbone, metrics }: { backbone: Backbone; metrics: Metrics },
): SystemDatabases {
  const opened: Database[] = [];
  const open = (url: string, name: string, outbox?: Database['outbox']) => {
    const db = openDatabase({
      url,
      service: name,
      max: POOL,
      metrics,
      ...(outbox === undefined ? {} : { outbox }),
    });
    opened.push(db);
    return db;
  };
  const openAs = (role: string, outbox?: Database['outbox']) =>
    open(roleUrl(adminUrl, role, secret), role, outbox);
  const own = services.map(
    ({ schema }) => [schema, openAs(serviceRole(schema), backbone.outboxOf(schema))] as const,
  );
  const databases: Readonly<Record<string, Database>> = Object.fromEntries(own);
  const readers = new Map<string, Database>();

  return {
    services: databases,
    relay: openAs('relay'),
    maintenance: openAs('maintenance'),
    jobsWorker: openAs('jobs_worker'),
    of({ schema }) {
      const db = databases[schema];
      if (db === undefined) throw new TypeError(`no service of this system has the schema ${schema}`);
      return db;
    },
    async query(schema, text, values) {
      const reader = readers.get(schema) ?? open(withSearchPath(adminUrl, schema), 'test-reader');
      readers.set(schema, reader);
      return (await reader.pool.query(text, values)).rows;
    },
    close: async () => void (await Promise.all(opened.map(db => db.close()))),
  };
}

function withSearchPath(url: string, schema: string): string {
  const other = new URL(url);
  other.searchParams.set('options', `-c search_path=${schema}`);
  return other.href;
}
