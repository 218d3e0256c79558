import { randomUUID } from 'node:crypto';
import { newId } from '@ghasi/domain-primitives/ids';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EntryAppended } from './contract.ts';
import { hashOfNote } from './entry.ts';
import { clockedIn, type House, openHouse, type Person } from './fixtures/house.ts';
import { dayOf } from './model.ts';

let house: House;
let owner: Person;
beforeAll(async () => {
  house = await openHouse();
  owner = house.newPerson();
  await house.tell(owner.tenantId, ...Array.from({ length: 5 }, () => clockedIn()));
});
afterAll(() => house.close());

const about = { type: 'incident', id: 'power-cut-2026-03-21' };

describe('reading', () => {
  test('entries come latest first, page by page, each once', async () => {
    const seen: number[] = [];
    let before = '';
    for (let page = 0; page < 3; page += 1) {
      const { body } = await house.send(owner, 'GET', `/entries?limit=2${before}`);
      seen.push(...body.entries.map(({ position }: { position: number }) => position));
      if (body.next === null) break;
      before = `&before=${body.next}`;
    }
    expect(seen).toEqual([5, 4, 3, 2, 1]);
  });

  test('they are found by what they are about, by whom, of which kind and on which day', async () => {
    const [, second] = await house.chain(owner.tenantId);
    const found = async (query: string) =>
      (await house.send(owner, 'GET', `/entries?${query}`)).body.entries.map(
        ({ position }: { position: number }) => position,
      );
    expect(await found(`about=${second?.about.id}`)).toEqual([2]);
    expect(await found(`actor=${second?.actor.id}&limit=3`)).toEqual([5, 4, 3]);
    expect(await found('actor=nobody')).toEqual([]);
    expect(await found('action=staff')).toHaveLength(5);
    expect(await found('action=staff.shift')).toHaveLength(5);
    expect(await found('action=staff.shift.opened')).toHaveLength(5);
    expect(await found('action=sta')).toEqual([]);
    expect(await found('action=staff_shift')).toEqual([]);
    expect(await found(`day=${dayOf(new Date())}`)).toHaveLength(5);
    expect(await found('day=2020-01-01')).toEqual([]);
  });

  test.each([
    ['/entries?limit=0'],
    ['/entries?limit=201'],
    ['/entries?before=0'],
    ['/entries?action=Voided'],
    ['/entries?day=2026-02-30'],
    ['/entries?nonsense=1'],
    ['/entries?about=a%00b'],
    ['/entries?actor=%01'],
    ['/entries?day=0000-01-01'],
    ['/roots?from=0000-01-01'],
    ['/entries/not-an-id'],
    ['/entries/not-an-id/proof'],
    ['/export?from=0'],
    ['/export?limit=5001'],
    ['/roots?from=yesterday'],
    ['/verifications/not-an-id'],
  ])('VAL-01: %s is refused', async path => {
    expect((await house.send(owner, 'GET', path)).status).toBe(400);
  });

  test('what is not there is not found', async () => {
    for (const path of [
      `/entries/${newId('aud')}`,
      `/entries/${newId('aud')}/proof`,
      `/verifications/${randomUUID()}`,
    ])
      expect((await house.send(owner, 'GET', path)).status).toBe(404);
  });
});

describe('safety-11: who may what', () => {
  const reads = ['/entries', '/roots', '/export', '/verifications'];
  test.each(['owner', 'manager', 'auditor'])('%s reads the chain and has it verified', async role => {
    const who = { ...owner, roles: [role] };
    for (const path of reads) expect((await house.send(who, 'GET', path)).status).toBe(200);
    expect((await house.send(who, 'POST', '/verifications', {})).status).toBe(202);
  });

  test.each(['front_desk', 'housekeeping', 'maintenance', 'accountant'])('%s does not', async role => {
    const who = { ...owner, roles: [role] };
    for (const path of reads) expect((await house.send(who, 'GET', path)).status).toBe(403);
    expect((await house.send(who, 'POST', '/verifications', {})).status).toBe(403);
    expect((await house.send(who, 'POST', '/entries', { about, text: 'x' })).status).toBe(403);
  });

  test('an auditor writes and forgets nothing, and a manager forgets nothing', async () => {
    const written = await house.send(owner, 'POST', '/entries', { about, text: 'the power was out' });
    const { entryId } = written.body.entry;
    const auditor = { ...owner, roles: ['auditor'] };
    expect((await house.send(auditor, 'POST', '/entries', { about, text: 'x' })).status).toBe(403);
    for (const who of [auditor, { ...owner, roles: ['manager'] }])
      expect((await house.send(who, 'DELETE', `/entries/${entryId}/note`)).status).toBe(403);
    expect((await house.send(undefined, 'GET', '/entries')).status).toBe(401);
  });
});

describe('notes', () => {
  test('DLQ-25: what a person writes down is in the chain at once, as a note and nothing else', async () => {
    const manager = house.newPerson(['manager']);
    const { status, body } = await house.send(manager, 'POST', '/entries', {
      about,
      text: 'Replayed 3 letters',
    });
    expect(status).toBe(201);
    expect(body.entry).toMatchObject({
      position: 1,
      action: 'audit.note.written',
      about,
      actor: { type: 'user', id: manager.operatorId },
      eventId: null,
      payloadHash: null,
      noteHash: hashOfNote(body.note),
    });
    await house.system.settled();
    expect(await house.said(manager.tenantId, EntryAppended)).toMatchObject([
      { action: 'audit.note.written', recordedEventId: null },
    ]);
    expect((await house.send(manager, 'GET', `/entries/${body.entry.entryId}`)).body).toEqual(body);
  });

  test('IDEM-01: a request that is repeated writes one note', async () => {
    const manager = house.newPerson(['manager']);
    const key = randomUUID();
    const twice = [1, 2].map(() =>
      house.send(manager, 'POST', '/entries', { about, text: 'once' }, { 'idempotency-key': key }),
    );
    const statuses = (await Promise.all(twice)).map(({ status }) => status);
    expect(statuses).toContain(201);
    expect(await house.chain(manager.tenantId)).toHaveLength(1);
  });

  test('safety-50: a note can be forgotten; the chain still verifies and tells who forgot it', async () => {
    const boss = house.newPerson();
    const text = 'Mirwais of room 12 was not amused';
    const { body } = await house.send(boss, 'POST', '/entries', { about, text });
    const path = `/entries/${body.entry.entryId}`;
    const forgotten = await house.send(boss, 'DELETE', `${path}/note`);
    expect(forgotten.body).toMatchObject({
      action: 'audit.note.forgotten',
      about: { type: 'entry', id: body.entry.entryId },
    });
    expect((await house.send(boss, 'GET', path)).body).toEqual({ entry: body.entry, note: null });
    expect((await house.send(boss, 'DELETE', `${path}/note`)).body.code).toBe('NO_NOTE');
    const everything = await house.system.query<{ row: string }>(
      'audit',
      'select n::text as row from notes n union all select e::text from entries e union all select o.envelope::text from outbox o',
    );
    expect(everything.filter(({ row }) => row.includes('Mirwais'))).toEqual([]);
    const begun = await house.send(boss, 'POST', '/verifications', {});
    await house.system.settled();
    const { body: done } = await house.send(boss, 'GET', `/verifications/${begun.body.id}`);
    expect(done).toMatchObject({ status: 'intact', checkedTo: 2 });
  });

  test.each([
    ['nothing', {}],
    ['an empty text', { about, text: '' }],
    ['text of two pages', { about, text: 'x'.repeat(2_001) }],
    ['control characters', { about, text: 'a\u0000b' }],
    ['a type in words', { about: { type: 'Power cut', id: 'x' }, text: 'x' }],
    ['an action', { about, text: 'x', action: 'billing.invoice.voided' }],
    ['somebody else as the actor', { about, text: 'x', actor: { type: 'user', id: 'you' } }],
  ])('VAL-01, safety-12: %s is refused', async (_what, body) => {
    const before = await house.chain(owner.tenantId);
    expect((await house.send(owner, 'POST', '/entries', body)).status).toBe(400);
    expect(await house.chain(owner.tenantId)).toEqual(before);
  });
});
