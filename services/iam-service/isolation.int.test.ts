import { createAsk } from '@ghasi/backbone/ask';
import { PLATFORM_TENANT_ID } from '@ghasi/domain-primitives/ids';
import { isolationContract } from '@ghasi/testing/isolation';
import { afterAll, beforeAll, describe } from 'vitest';
import { enrolTotp, pairDevice } from './fixtures/enrol.ts';
import { type Gate, openGate, type Person, settings } from './fixtures/gate.ts';
import { createIamService } from './service.ts';

const service = createIamService({ ...settings, ask: createAsk(new Map()) });
let gate: Gate;
let a: Person;
let b: Person;
beforeAll(async () => {
  gate = await openGate();
  [a, b] = [await fill(), await fill()];
  await giveKeys([a, b]);
});
afterAll(() => gate.close());

/** Somebody whose tenant has a row in every table but that of the signing keys. */
async function fill(): Promise<Person> {
  const owner = await gate.hire({ roles: ['owner'] });
  const client = gate.client(owner.tenantId);
  const device = await pairDevice(gate, owner);
  await client.enter(owner, { device }); // spends a nonce
  const app = await enrolTotp(gate, owner);
  const confirmed = { method: 'totp', code: app.code(), action: 'folio.refund' };
  await client.send('POST', '/api/v1/auth/step-up', confirmed, app.tokens);
  await client.send('POST', '/api/v1/operators', { email: 'c@hotel.test', name: 'C' }, app.tokens);
  await client.signIn(owner); // a challenge that waits for its second factor
  await client.signIn({ ...owner, password: 'wrong' });
  return owner;
}

/**
 * Copies a key of the platform to tenants. A CHECK lets nobody but the platform have keys (signing-keys.int.test.ts); it is
 * taken off this one database, since row-level security has to keep keys apart without its help.
 */
async function giveKeys(people: Person[]): Promise<void> {
  await gate.database.admin('alter table iam.signing_keys drop constraint signing_keys_tenant_id_check');
  await gate.database.admin(
    `insert into iam.signing_keys (tenant_id, id, status, public_jwk, sealed_private, created_at)
     select unnest($1::uuid[]), id, status, public_jwk, sealed_private, created_at
     from iam.signing_keys
     where tenant_id = $2 and status = 'next'`,
    [people.map(({ tenantId }) => tenantId), PLATFORM_TENANT_ID],
  );
}

describe('TEN-08, safety-3, safety-7, safety-26: every table keeps tenants apart, and what only grows stays', () => {
  isolationContract(service, () => ({ ...gate, own: a.tenantId, other: b.tenantId }), {
    onlyGrows: ['security_log'],
  });
});
