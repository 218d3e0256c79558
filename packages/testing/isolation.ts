import type { Service } from '@ghasi/backbone/define-service';
import { getTableName } from '@ghasi/db/drizzle';
import { getTableConfig, type PgTable } from '@ghasi/db/drizzle-tables';
import { beforeAll, expect, test } from 'vitest';
import { drizzleDrift } from './drizzle-drift.ts';
import {
  growingProblems,
  readingProblems,
  type TwoTenants,
  tenantlessProblems,
  writingProblems,
} from './isolation-check.ts';

/** What is not the same for every table; names without the schema. */
export type IsolationOptions = {
  /** Tables whose rows belong to no tenant, e.g. reference data. Default: none. */
  readonly ofNoTenant?: readonly string[];
  /** Tables whose rows are never changed or removed. Default: none. A test compares the list with the database. */
  readonly onlyGrows?: readonly string[];
};

/**
 * The tests of every table of a service: it is what the migrations made; a tenant reads its own rows (TEN-08) and nobody
 * reads any without a tenant (safety-3); no statement writes into another tenant (safety-7) or changes what only grows
 * (safety-26). `world` is asked inside the tests, when `beforeAll` has made it.
 */
export function isolationContract(
  service: Pick<Service, 'schema' | 'tables'>,
  world: () => TwoTenants,
  { ofNoTenant = [], onlyGrows = [] }: IsolationOptions = {},
): void {
  const { schema } = service;
  const tables = Object.values(service.tables);
  const qualified = (name: string) => `${schema}.${name}`;
  const owned = tables
    .map(getTableName)
    .filter(name => !ofNoTenant.includes(name))
    .map(qualified);

  test('the Drizzle tables and the migrated database are the same, in both directions', async () => {
    expect(await drizzleDrift(world().database, schema, service.tables)).toEqual([]);
  });

  test(`TEN-08: every table of ${schema} belongs to tenants, but for those that are named`, () => {
    expect(owned.length).toBeGreaterThan(0);
    const without = tables.filter(table => !columnsOf(table).includes('tenant_id'));
    expect(without.map(getTableName).sort()).toEqual([...ofNoTenant].sort());
  });

  test.each(owned)('TEN-08: a tenant sees its own rows of %s and nobody else’s', async name => {
    expect(await readingProblems(world(), name)).toEqual([]);
  });

  test.each(owned)('safety-3: without a tenant %s is empty', async name => {
    expect(await tenantlessProblems(world(), name)).toEqual([]);
  });

  test.each(owned)('safety-7: a row of %s cannot be moved or written into another tenant', async name => {
    expect(await writingProblems(world(), name)).toEqual([]);
  });

  test(`safety-26: the tables of ${schema} that only grow are those that are named`, async () => {
    const growing = await world().database.admin<{ name: string }>(
      'select table_name as name from app.append_only_tables where table_name = any ($1)',
      [tables.map(getTableName).map(qualified)],
    );
    expect(growing.map(({ name }) => name).sort()).toEqual(onlyGrows.map(qualified).sort());
  });

  test.each(onlyGrows.map(qualified))('safety-26: %s only grows', async name => {
    expect(await growingProblems(world(), name)).toEqual([]);
  });
}

function columnsOf(table: PgTable): string[] {
  return getTableConfig(table).columns.map(({ name }) => name);
}

/** Somebody of one tenant who asks for what belongs to another. */
export type TwoCallers<Who> = {
  readonly own: Who;
  readonly other: Who;
  /** Sends to a path below /api/v1. */
  send(who: Who, method: string, path: string, body?: unknown): Promise<{ status: number; body: object }>;
  /** Path parameter → what the other tenant has. */
  readonly foreign: Readonly<Record<string, string>>;
  /** Path parameter → what nobody has. */
  readonly absent: Readonly<Record<string, string>>;
  /** The end of a path → a valid body for what is written there, undefined for none. */
  readonly bodies: Readonly<Record<string, object | undefined>>;
};

/**
 * One test for every route of a service with an id in its path: what belongs to another tenant and what does not exist look
 * the same (safety-10). A parameter without ids and a write without a body fail.
 */
export function foreignLooksAbsent<Who>(
  { routes }: Pick<Service, 'routes'>,
  world: () => TwoCallers<Who> | Promise<TwoCallers<Who>>,
): void {
  const withId = routes.filter(({ path }) => path.includes(':'));
  let callers: TwoCallers<Who>;
  beforeAll(async () => {
    callers = await world();
  });

  test('safety-10: there are routes with an id', () => {
    expect(withId.length).toBeGreaterThan(0);
  });

  test.each(withId.map(({ method, path }) => [method, path.replace('/api/v1', '')] as const))(
    'safety-10: %s %s answers the same for what belongs to another tenant and for what does not exist',
    async (method, path) => {
      const { own, other, send, foreign, absent, bodies } = callers;
      const isRead = method === 'GET';
      const end = Object.keys(bodies).find(one => path.endsWith(one));
      if (!isRead && end === undefined) expect.fail(`${method} ${path} has no body`);
      const body = isRead ? undefined : bodies[end as string];
      const theirs = await send(own, method, filled(path, foreign), body);
      expect(theirs.status).toBe(404);
      expect(anonymous(theirs)).toEqual(anonymous(await send(own, method, filled(path, absent), body)));
      // What its owner does not find either would prove nothing.
      if (isRead) expect((await send(other, method, filled(path, foreign))).status).toBe(200);
    },
  );
}

function filled(path: string, ids: Readonly<Record<string, string>>): string {
  return path.replace(/:(\w+)/g, (_, name: string) => ids[name] ?? expect.fail(`no ${name} for ${path}`));
}

/** A reply without what names its request. */
function anonymous({ status, body }: { status: number; body: object }): object {
  return { ...body, status, correlationId: '', instance: '' };
}
