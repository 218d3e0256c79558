import { newId } from '@ghasi/domain-primitives/ids';
import { foreignLooksAbsent, isolationContract } from '@ghasi/testing/isolation';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { broken, type House, type Inn, inDays, openHouse, today } from './fixtures/house.ts';
import { service } from './service.ts';

let house: House;
let a: Inn;
let b: Inn;
let foreign: Record<string, string>;
beforeAll(async () => {
  house = await openHouse();
  [a, b] = [await house.inn(2), await house.inn(2)];
  for (const inn of [a, b]) {
    const owner = ownerOf(inn);
    const ticket = await house.send(owner, 'POST', '/maintenance/tickets', broken(inn));
    const round = { propertyId: inn.propertyId, area: 'roof', category: 'other', severity: 'cosmetic' };
    const plan = { ...round, title: 'Look at the roof', everyDays: 30, nextDue: inDays(9) };
    const planned = await house.send(owner, 'POST', '/maintenance/plans', plan);
    foreign = { ticketId: ticket.body.id, planId: planned.body.id };
  }
});
afterAll(() => house.close());

const ownerOf = ({ tenantId }: Inn) => ({ tenantId, roles: ['owner'] });

describe('TEN-08, safety-3, safety-7, safety-26: every table keeps tenants apart, and what only grows stays', () => {
  isolationContract(service, () => ({ ...house, own: a.tenantId, other: b.tenantId }), {
    onlyGrows: ['steps'],
  });
});

test('safety-6: the function that looks across tenants gives tenant ids, to this service only', async () => {
  const open = await house.database.admin<{ name: string; open: boolean }>(
    `select p.proname as name, has_function_privilege('svc_iam', p.oid, 'execute') as open
     from pg_proc p where p.pronamespace = 'maintenance'::regnamespace and p.prosecdef order by 1`,
  );
  expect(open).toEqual(expect.arrayContaining([{ name: 'tenants_with_due_plans', open: false }]));
  expect(open.some(one => one.open)).toBe(false);
});

describe('safety-10: what belongs to B and what does not exist look the same to A, on every route with an id', () => {
  foreignLooksAbsent(service, () => {
    const money = { amount: '0', currency: 'AFN' };
    const bodies = {
      ...{ '/assign': { assigneeId: newId('usr') }, '/start': {}, '/hold': { note: 'x' }, '/end': undefined },
      ...{ '/cancel': { resolution: 'duplicate' }, '/:ticketId': { version: 1, title: 'x' } },
      '/close': { resolution: 'repaired', labour: { minutes: 0, cost: money } },
      '/block': { kind: 'out_of_order', from: today, until: inDays(1) },
      '/follow-up': { title: 'x', severity: 'cosmetic' },
    };
    const absent = { ticketId: newId('mtk'), planId: crypto.randomUUID() };
    return { own: ownerOf(a), other: ownerOf(b), send: house.send, foreign, absent, bodies };
  });
});

test('safety-10: rooms and houses of B cannot be named by A', async () => {
  const owner = ownerOf(a);
  const tries = [
    broken(b),
    broken(a, { roomId: b.rooms[0] }),
    broken(a, { roomId: b.rooms[0], block: { kind: 'out_of_order', from: today, until: inDays(1) } }),
  ];
  for (const body of tries)
    expect(await house.send(owner, 'POST', '/maintenance/tickets', body)).toMatchObject({ status: 404 });
  for (const list of ['tickets', 'plans']) {
    const { body } = await house.send(owner, 'GET', `/maintenance/${list}?propertyId=${b.propertyId}`);
    expect(body[list]).toEqual([]);
  }
});
