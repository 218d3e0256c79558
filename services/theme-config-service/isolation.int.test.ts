import { getTableName, sql } from '@ghasi/db/drizzle';
import { isPrivilegeViolation } from '@ghasi/db/pg-errors';
import { execute, row, rows } from '@ghasi/db/sql';
import { systemTransaction } from '@ghasi/db/tenant-transaction';
import { newId } from '@ghasi/domain-primitives/ids';
import { doubleDeliveryContract } from '@ghasi/testing/double-delivery';
import { drizzleDrift } from '@ghasi/testing/drizzle-drift';
import { testActor } from '@ghasi/testing/tenants';
import { PropertyCreated } from '@melmastoon/property-service/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openSite, type Person, type Site } from './fixtures/site.ts';
import { service } from './service.ts';

let site: Site;
let a: Person;
let b: Person;
beforeAll(async () => {
  site = await openSite();
  [a, b] = [site.person(), site.person()];
  for (const who of [a, b]) {
    await site.property(who);
    const { theme } = await site.brand(who);
    const text = [{ locale: 'en', text: 'Welcome' }];
    await site.send(who, 'POST', `/themes/${theme.id}/blocks`, { placement: 'home', position: 0, text });
  }
});
afterAll(() => site.close());

const owned = Object.values(service.tables).map(getTableName);
const table = (name: string) => sql`${sql.identifier('theme_config')}.${sql.identifier(name)}`;

test('the Drizzle tables and the migrated database are the same, in both directions', async () => {
  expect(await drizzleDrift(site.database, service.schema, service.tables)).toEqual([]);
});

test.each(owned)('TEN-08: tenant A sees its own rows of theme_config.%s and none of B', async name => {
  const seen = await site.inside(a.tenantId, ({ tx }) =>
    rows<{ tenant_id: string }>(tx, sql`select tenant_id from ${table(name)}`),
  );
  expect(new Set(seen.map(one => one.tenant_id))).toEqual(new Set([a.tenantId]));
});

test.each(owned)('safety-3: without a tenant theme_config.%s is empty', async name => {
  const seen = await systemTransaction(site.db, { actor: testActor }, ({ tx }) =>
    rows(tx, sql`select 1 from ${table(name)}`),
  );
  expect(seen).toEqual([]);
});

test.each(owned)('safety-7: a row of theme_config.%s cannot be written into another tenant', async name => {
  const copy = await site.inside(a.tenantId, ({ tx }) =>
    row<{ one: object }>(tx, sql`select to_jsonb(t) as one from ${table(name)} t limit 1`),
  );
  const moved = JSON.stringify({ ...copy?.one, tenant_id: b.tenantId });
  const record = sql`select * from jsonb_populate_record(null::${table(name)}, ${moved}::jsonb)`;
  for (const attempt of [
    sql`insert into ${table(name)} ${record}`,
    sql`insert into ${table(name)} ${record} on conflict do nothing`,
    sql`update ${table(name)} set tenant_id = ${b.tenantId}`,
  ]) {
    const refused = site.inside(a.tenantId, ({ tx }) => execute(tx, attempt));
    await expect(refused).rejects.toSatisfy(isPrivilegeViolation);
  }
});

test.each(['preset_versions'])('safety-26: theme_config.%s only grows', async name => {
  for (const attempt of [
    sql`update ${table(name)} set tenant_id = tenant_id`,
    sql`delete from ${table(name)}`,
    sql`truncate ${table(name)}`,
  ]) {
    const refused = site.inside(a.tenantId, ({ tx }) => execute(tx, attempt));
    await expect(refused).rejects.toSatisfy(isPrivilegeViolation);
  }
});

test('safety-10: what belongs to B and what does not exist look the same to A, on every route with an id', async () => {
  type Listed = { presets: { id: string }[]; themes: { id: string }[]; blocks: { id: string }[] };
  const firstOf = async (path: string, list: keyof Listed) =>
    (await site.send<Listed>(b, 'GET', path)).body[list][0]?.id ?? '';
  const [presetId, themeId] = [await firstOf('/presets', 'presets'), await firstOf('/themes', 'themes')];
  const blockId = await firstOf(`/themes/${themeId}/blocks`, 'blocks');
  const foreign = { presetId, themeId, blockId };
  const absent = { presetId: newId('thp'), themeId: newId('thm'), blockId: newId('cbk') };
  const mine = (await site.send<Listed>(a, 'GET', '/presets')).body.presets[0]?.id;
  const text = [{ locale: 'en', text: 'x' }];
  const bodies: Record<string, object> = {
    'PUT /api/v1/presets/:presetId/draft': { version: 2, name: text, tokens: [] },
    'POST /api/v1/presets/:presetId/publish': { version: 2 },
    'PUT /api/v1/themes/:themeId': { version: 1, presetId: mine, overrides: [] },
    'POST /api/v1/themes/:themeId/blocks': { placement: 'home', position: 0, text },
    'PUT /api/v1/blocks/:blockId': { version: 1, placement: 'home', position: 0, text },
    'POST /api/v1/blocks/:blockId/withdraw': { version: 1 },
  };
  const withId = service.routes.filter(({ path }) => path.includes(':'));
  expect(withId.length).toBeGreaterThan(7);
  for (const { method, path } of withId) {
    const body = bodies[`${method} ${path}`];
    expect(method === 'GET' || body !== undefined).toBe(true);
    const seen = [];
    for (const ids of [foreign, absent]) {
      const filled = path.replace(/:(\w+)/, (_, name: keyof typeof absent) => ids[name]);
      const reply = await site.send<{ detail: string }>(a, method, filled.replace('/api/v1', ''), body);
      seen.push({ status: reply.status, code: reply.body.code, detail: reply.body.detail });
    }
    expect(seen[0]).toEqual(seen[1]);
    expect(seen[0]?.status).toBe(404);
  }
});

describe('INBOX-10: what it hears', () => {
  const names = [{ locale: 'en', text: 'Bala Hissar' }];
  doubleDeliveryContract([service], {
    [PropertyCreated.subject]: {
      propertyId: newId('pro'),
      name: names,
      country: 'AF',
      city: names,
      position: null,
      zone: 'Asia/Kabul',
      currency: 'AFN',
      locales: ['en'],
      checkInFrom: '14:00',
      checkOutUntil: '12:00',
      businessDate: '2026-03-20',
      amenities: [],
    },
  });
});
