import { isPrivilegeViolation } from '@ghasi/db/pg-errors';
import { isolationContract } from '@ghasi/testing/isolation';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { clockedIn, type House, openHouse, type Person } from './fixtures/house.ts';
import { service } from './service.ts';

let house: House;
let a: Person;
let b: Person;
beforeAll(async () => {
  house = await openHouse();
  [a, b] = [house.newPerson(), house.newPerson()];
  for (const one of [a, b]) await fill(one);
  for (const { tenantId } of [a, b]) await house.system.publish(tenantId, [clockedIn()] as never);
  await house.system.settled();
});
afterAll(() => house.close());

/** Something in every table. */
async function fill(owner: Person): Promise<void> {
  await house.grow(owner.tenantId, 2, new Date(Date.now() - 86_400_000));
  await house.anchorDays();
  await house.tell(owner.tenantId, clockedIn());
  await house.send(owner, 'POST', '/entries', { about: { type: 'incident', id: 'x' }, text: 'a note' });
  await house.send(owner, 'POST', '/verifications', {});
}

describe('TEN-08, safety-3, safety-7, safety-26: every table keeps tenants apart, and what only grows stays', () => {
  isolationContract(
    service,
    () => ({ ...house, database: house.system.database, own: a.tenantId, other: b.tenantId }),
    { onlyGrows: ['anchors', 'entries', 'kept_roots', 'roots'] },
  );
});

test('TEN-17: the chain lies in parts by tenant, and no part can be reached by itself', async () => {
  const parts = await house.system.database.admin<{ name: string }>(
    `select inhrelid::regclass::text as name from pg_inherits where inhparent = 'audit.entries'::regclass`,
  );
  expect(parts).toHaveLength(8);
  for (const { name } of parts)
    await expect(house.db.pool.query(`select from ${name}`)).rejects.toSatisfy(isPrivilegeViolation);
});

test('safety-6: what looks across tenants gives tenant ids and nothing else', async () => {
  const columns = await house.system.database.admin<{ result: string }>(
    `select pg_get_function_result(oid) as result from pg_proc
     where pronamespace = 'audit'::regnamespace and prosecdef and proname like 'tenants_%'`,
  );
  expect(columns.map(({ result }) => result)).toEqual(['SETOF uuid', 'SETOF uuid']);
});

test('safety-10: over HTTP the entries of another tenant do not exist', async () => {
  const [entry] = await house.chain(a.tenantId);
  const { body } = await house.send(a, 'GET', '/verifications');
  for (const path of [
    `/entries/${entry?.entryId}`,
    `/entries/${entry?.entryId}/proof`,
    `/verifications/${body.verifications[0].id}`,
  ])
    expect((await house.send(b, 'GET', path)).status).toBe(404);
  expect((await house.send(b, 'DELETE', `/entries/${entry?.entryId}/note`)).status).toBe(404);
  const { text } = await house.send(b, 'GET', '/export');
  expect(text).not.toContain(a.tenantId);
});
