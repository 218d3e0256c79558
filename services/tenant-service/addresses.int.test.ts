import { afterAll, beforeAll, expect, test } from 'vitest';
import { type House, newSlug, openHouse } from './fixtures/house.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

test('100 tenants claim one slug at the same moment: one gets it, the others hear "taken" and keep theirs', async () => {
  const tenants = await Promise.all(Array.from({ length: 100 }, () => house.tenant()));
  const slug = newSlug();
  const replies = await Promise.all(
    tenants.map(owner => house.send(owner, 'POST', '/tenant/slugs', { slug })),
  );
  const outcomes = replies.map(({ status, body }) => `${status} ${body.code ?? ''}`.trim()).sort();
  expect(outcomes).toEqual(['200', ...Array.from({ length: 99 }, () => '409 SLUG_TAKEN')]);
  const winner = tenants[replies.findIndex(reply => reply.status === 200)];
  expect(await house.resolve({ slug })).toMatchObject({ tenantId: winner?.tenantId, slug });
  const loser = tenants[replies.findIndex(reply => reply.status === 409)];
  expect(await house.resolve({ slug: loser?.slug ?? '' })).toMatchObject({
    tenantId: loser?.tenantId,
    slug: loser?.slug,
  });
});

test('"taken" says nothing about who has the slug, in use or long given up', async () => {
  const [owner, other] = [await house.tenant(), await house.tenant()];
  const current = newSlug();
  await house.send(other, 'POST', '/tenant/slugs', { slug: current });
  const plain = async (slug: string) => {
    const { status, body } = await house.send(owner, 'POST', '/tenant/slugs', { slug });
    return { status, ...body, correlationId: '' };
  };
  const [used, old] = [await plain(current), await plain(other.slug)];
  expect(used).toEqual(old);
  expect(used).toMatchObject({ status: 409, code: 'SLUG_TAKEN', detail: 'This name is taken' });
});

test('TB-09: an old slug keeps leading to its tenant and tells the present one', async () => {
  const owner = await house.tenant();
  const [second, third] = [newSlug(), newSlug()];
  await house.send(owner, 'POST', '/tenant/slugs', { slug: second });
  await house.send(owner, 'POST', '/tenant/slugs', { slug: third });
  for (const slug of [owner.slug, second, third]) {
    expect(await house.resolve({ slug })).toMatchObject({
      tenantId: owner.tenantId,
      slug: third,
      status: 'active',
    });
  }
  const back = await house.send(owner, 'POST', '/tenant/slugs', { slug: owner.slug });
  expect(back).toMatchObject({ status: 200 });
  expect(await house.resolve({ slug: third })).toMatchObject({ slug: owner.slug });
});

test('the slug of a closed tenant is never given to somebody else', async () => {
  const [gone, owner] = [await house.tenant(), await house.tenant()];
  await house.send(house.admin, 'POST', `/platform/tenants/${gone.tenantId}/close`);
  const claim = await house.send(owner, 'POST', '/tenant/slugs', { slug: gone.slug });
  expect(claim).toMatchObject({ status: 409, body: { code: 'SLUG_TAKEN' } });
  expect(await house.resolve({ slug: gone.slug })).toMatchObject({
    tenantId: gone.tenantId,
    status: 'closed',
  });
});

test('reserved words and malformed slugs are refused', async () => {
  const owner = await house.tenant();
  for (const slug of ['www', 'platform', 'api', 'melmastoon']) {
    const reply = await house.send(owner, 'POST', '/tenant/slugs', { slug });
    expect(reply).toMatchObject({ status: 422, body: { code: 'SLUG_RESERVED' } });
  }
  for (const slug of ['Ab-c', 'a b c', 'xn--abc', '../etc', 'a\u0000bc', '', null, 7, ['abc']]) {
    const reply = await house.send(owner, 'POST', '/tenant/slugs', { slug });
    expect(reply.status, String(slug)).toBe(400);
  }
});

test('a tenant cannot collect names', async () => {
  const owner = await house.tenant();
  for (let n = 0; n < 9; n++) await house.send(owner, 'POST', '/tenant/slugs', { slug: newSlug() });
  const tenth = await house.send(owner, 'POST', '/tenant/slugs', { slug: newSlug() });
  expect(tenth).toMatchObject({ status: 409, body: { code: 'SLUG_LIMIT' } });
});

test('only the owner takes names; a manager reads them', async () => {
  const owner = await house.tenant();
  const manager = await house.hire(owner, ['manager']);
  expect(await house.send(manager, 'POST', '/tenant/slugs', { slug: newSlug() })).toMatchObject({
    status: 403,
  });
  const seen = await house.send(manager, 'GET', '/tenant/addresses');
  expect(seen).toMatchObject({
    status: 200,
    body: { slugs: [{ slug: owner.slug, primary: true }], hosts: [] },
  });
});

test('a host leads nowhere until the platform has verified it, and belongs to one tenant then', async () => {
  const [owner, rival] = [await house.tenant(), await house.tenant()];
  const host = `${newSlug()}.example.af`;
  const verify = (who: typeof owner) =>
    house.send(house.admin, 'POST', `/platform/tenants/${who.tenantId}/hosts/${host}/verify`);
  const unverified = { status: 200, body: { hosts: [{ host, verified: false }] } };
  expect(await house.send(rival, 'POST', '/tenant/hosts', { host })).toMatchObject(unverified);
  expect(await house.send(owner, 'POST', '/tenant/hosts', { host })).toMatchObject(unverified);
  expect(await house.resolve({ host })).toBeNull();
  expect(await verify(owner)).toMatchObject({ status: 200, body: { hosts: [{ host, verified: true }] } });
  expect(await verify(owner)).toMatchObject({ status: 200 });
  expect(await verify(rival)).toMatchObject({ status: 409, body: { code: 'HOST_TAKEN' } });
  expect(await house.resolve({ host: `${host.toUpperCase()}:443` })).toMatchObject({
    tenantId: owner.tenantId,
  });
  expect(await house.send(owner, 'DELETE', `/tenant/hosts/${host}`)).toMatchObject({ status: 204 });
  expect(await house.resolve({ host })).toBeNull();
  expect(await verify(rival)).toMatchObject({ status: 200 });
});

test('addresses, local names and the like are no hosts', async () => {
  const owner = await house.tenant();
  for (const host of [
    '127.0.0.1',
    'localhost',
    '[::1]',
    'a..b.af',
    '-a.af',
    'a.af:80',
    'A.AF',
    'http://a.af',
    'a.af/',
    '',
  ]) {
    expect((await house.send(owner, 'POST', '/tenant/hosts', { host })).status, host).toBe(400);
  }
});

test('text that can be no slug or host resolves to nobody', async () => {
  for (const text of ['', ' ', "'; drop table tenant.slugs; --", 'x'.repeat(10_000), 'a\u0000b', '%00']) {
    expect(await house.resolve({ slug: text })).toBeNull();
    expect(await house.resolve({ host: text })).toBeNull();
  }
});
