import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hashOfContent } from './entry.ts';
import { clockedIn, type House, openHouse, type Person } from './fixtures/house.ts';
import { verifyExport, verifyProof } from './verify.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

const yesterday = new Date(Date.now() - 86_400_000);

/** A chain with a day under a root and some entries of today. */
async function tenantWithChain({ old = 6, fresh = 4 } = {}): Promise<Person> {
  const owner = house.newPerson();
  await house.grow(owner.tenantId, old, yesterday);
  await house.anchorDays();
  if (fresh > 0) await house.grow(owner.tenantId, fresh);
  return owner;
}

/** What nobody can do who has no power over the server: the trigger is put aside. */
async function tamper(text: string, values: unknown[]): Promise<void> {
  await house.system.database.admin('alter table audit.entries disable trigger append_only');
  await house.system.database.admin(text, values);
  await house.system.database.admin('alter table audit.entries enable trigger append_only');
}

async function verify(who: Person) {
  const begun = await house.send(who, 'POST', '/verifications', {});
  expect(begun).toMatchObject({ status: 202, body: { status: 'waiting', checkedTo: 0 } });
  await house.system.settled();
  return (await house.send(who, 'GET', `/verifications/${begun.body.id}`)).body;
}

const named = ({ findings }: { findings: { kind: string; position: number }[] }) =>
  findings.map(({ kind, position }) => [kind, position]);

test('a chain that nobody touched is intact: every entry and every root was looked at', async () => {
  const owner = await tenantWithChain();
  expect(await verify(owner)).toMatchObject({
    ...{ status: 'intact', lastPosition: 10, checkedTo: 10, rootsChecked: 1, findings: [] },
    askedBy: owner.operatorId,
    endedAt: expect.any(String),
  });
  const { body } = await house.send(owner, 'GET', '/verifications');
  expect(body.verifications).toHaveLength(1);
});

test('an empty chain is intact', async () => {
  expect(await verify(house.newPerson())).toMatchObject({ status: 'intact', lastPosition: 0 });
});

describe('hotel rule 3.8: somebody with power over the server is found out', () => {
  test('who changes an entry', async () => {
    const owner = await tenantWithChain();
    await tamper('update audit.entries set actor_id = $2 where tenant_id = $1 and position = 3', [
      owner.tenantId,
      'somebody else',
    ]);
    const { status, findings } = await verify(owner);
    expect(status).toBe('broken');
    expect(findings[0]).toMatchObject({
      kind: 'changed',
      position: 3,
      entryId: expect.stringMatching(/^aud_/),
    });
  });

  test.each([1, 4, 8, 10])('who deletes entry %i of ten', async position => {
    const owner = await tenantWithChain();
    await tamper('delete from audit.entries where tenant_id = $1 and position = $2', [
      owner.tenantId,
      position,
    ]);
    expect(named(await verify(owner))[0]).toEqual(['missing', position]);
  });

  test.each([2, 8, 10])('who writes entry %i anew with a hash that fits it', async position => {
    const owner = await tenantWithChain();
    const { entryHash: _, ...content } = (await house.chain(owner.tenantId))[position - 1] as never as {
      entryHash: string;
    };
    const forged = { ...content, actor: { type: 'system', id: 'nobody' } } as never;
    await tamper(
      `update audit.entries set actor_type = 'system', actor_id = 'nobody', hash = $3
       where tenant_id = $1 and position = $2`,
      [owner.tenantId, position, hashOfContent(forged)],
    );
    expect(named(await verify(owner))).toContainEqual(['replaced', position]);
  });

  test('who swaps what two entries say', async () => {
    const owner = await tenantWithChain();
    await tamper(
      `update audit.entries e set about_id = o.about_id
       from audit.entries o
       where e.tenant_id = $1 and o.tenant_id = $1 and e.position + o.position = 12 and e.position in (5, 7)`,
      [owner.tenantId],
    );
    expect(named(await verify(owner)).filter(([kind]) => kind === 'changed')).toEqual([
      ['changed', 5],
      ['changed', 7],
    ]);
  });

  test('who changes the root of a day', async () => {
    const owner = await tenantWithChain();
    const { admin } = house.system.database;
    await admin('alter table audit.roots disable trigger append_only');
    await admin(`update audit.roots set root_hash = repeat('0', 64) where tenant_id = $1`, [owner.tenantId]);
    await admin('alter table audit.roots enable trigger append_only');
    const { findings } = await verify(owner);
    expect(findings.map(({ text }: { text: string }) => text).sort()).toEqual([
      expect.stringContaining('do not make the root'),
      expect.stringContaining('is not the one that was put into write_once_storage'),
    ]);
  });
});

test('a long chain is looked through in parts, and names the same entries at their borders', async () => {
  const owner = await tenantWithChain({ old: 1_500, fresh: 700 });
  expect(await verify(owner)).toMatchObject({ status: 'intact', checkedTo: 2_200, rootsChecked: 1 });
  await tamper(`update audit.entries set action = 'a.b' where tenant_id = $1 and position in (1000, 1001)`, [
    owner.tenantId,
  ]);
  await tamper('delete from audit.entries where tenant_id = $1 and position in (2000, 2001)', [
    owner.tenantId,
  ]);
  const { findings } = await verify(owner);
  expect(findings.map(({ text }: { text: string }) => text.replace(/ \(.*?\)/, ''))).toEqual([
    'entry 1000 is not what its hash was made of',
    'entry 1001 is not what its hash was made of',
    'entries 2000 to 2001 are missing',
  ]);
});

describe('what third parties get', () => {
  test('an export verifies elsewhere, whole or in parts, and shows what was cut off its end', async () => {
    const owner = await tenantWithChain();
    const whole = await house.send(owner, 'GET', '/export');
    expect(verifyExport(whole.text)).toEqual({
      ...{ tenantId: owner.tenantId, entries: 10, roots: 1, findings: [] },
    });
    const parts = [
      await house.send(owner, 'GET', '/export?limit=6'),
      await house.send(owner, 'GET', '/export?from=7'),
    ];
    expect(verifyExport(parts.map(({ text }) => text).join(''))).toMatchObject({ entries: 10, findings: [] });
    await tamper('delete from audit.entries where tenant_id = $1 and position = 10', [owner.tenantId]);
    const cut = await house.send(owner, 'GET', '/export');
    expect(verifyExport(cut.text).findings).toMatchObject([{ kind: 'missing', position: 10 }]);
  });

  test('the proof of an entry holds under the root of its day, and takes less than 5 KB', async () => {
    const owner = await tenantWithChain({ old: 100 });
    const [, entry] = await house.chain(owner.tenantId);
    const { status, body, text } = await house.send(owner, 'GET', `/entries/${entry?.entryId}/proof`);
    expect(status).toBe(200);
    expect(text.length).toBeLessThan(5_000);
    expect(verifyProof(body)).toBe(true);
    expect(body.root.anchors).toEqual([
      { medium: 'write_once_storage', reference: expect.stringContaining(body.root.day) },
    ]);
    expect(verifyProof({ ...body, entry: { ...body.entry, action: 'nothing.happened' } })).toBe(false);
  });

  test('an entry of today has no proof yet, and says when', async () => {
    const owner = house.newPerson();
    await house.tell(owner.tenantId, clockedIn());
    const [entry] = await house.chain(owner.tenantId);
    const { status, body } = await house.send(owner, 'GET', `/entries/${entry?.entryId}/proof`);
    expect([status, body.code]).toEqual([409, 'DAY_NOT_SEALED']);
    const nothing = await house.send(house.newPerson(), 'GET', '/export');
    expect([nothing.status, nothing.body.code]).toEqual([409, 'CHAIN_IS_EMPTY']);
  });
});
