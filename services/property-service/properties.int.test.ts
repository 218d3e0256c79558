import { type Id, newId } from '@ghasi/domain-primitives/ids';
import { newTenantId } from '@ghasi/testing/tenants';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { PropertyView } from './contract/resources.ts';
import { AmenityChanged, PropertyCreated } from './contract.ts';
import { type House, kabul, openHouse, type Person } from './fixtures/house.ts';
import { firstDay, usualRules } from './model.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

const told = async ({ tenantId }: Person, { subject }: { subject: string }) =>
  (await house.published(tenantId)).filter(({ topic }) => topic === subject);
const open = (who: Person, body: object) => house.send<PropertyView>(who, 'POST', '/properties', body);
const at = (id: Id<'pro'>, more = '') => `/properties/${id}${more}`;

test('EVT-11, R3: a house opens with the date on its own wall as its first hotel day, and says so', async () => {
  const who = house.person();
  const { status, body } = await open(who, { ...kabul, zone: 'Pacific/Kiritimati', houseRules: {} });
  expect(status).toBe(201);
  const businessDate = firstDay('Pacific/Kiritimati', new Date(body.createdAt));
  expect(body).toMatchObject({ businessDate, houseRules: usualRules, version: 1, position: null });
  const [created, ...more] = await house.published(who.tenantId);
  expect(created).toMatchObject({
    topic: PropertyCreated.subject,
    aggregateId: body.id,
    aggregateVersion: 1,
    payload: { propertyId: body.id, zone: 'Pacific/Kiritimati', currency: 'AFN', businessDate },
  });
  expect(more).toEqual([]);
});

test('a change is based on a version, keeps what it does not name, and a stale one changes nothing', async () => {
  const who = house.person('manager');
  const { id } = await house.property(who);
  const patch = { version: 1, checkInFrom: '15:30', houseRules: { inspectedBeforeCheckIn: true } };
  const { body } = await house.send<PropertyView>(who, 'PATCH', at(id), patch);
  expect(body).toMatchObject({
    checkInFrom: '15:30',
    checkOutUntil: '12:00',
    houseRules: { inspectedBeforeCheckIn: true, dayCloseFrom: '00:00', arrivalsNotIn: 'no_show' },
    version: 2,
  });
  expect(await house.send(who, 'PATCH', at(id), patch)).toMatchObject({ body: { code: 'VERSION_CONFLICT' } });
  expect(await house.send(who, 'GET', at(id))).toMatchObject({ body: { version: 2 } });
});

test.each(['zone', 'currency', 'country'])('R3: %s of a house is for good', async field => {
  const who = house.person();
  const { id } = await house.property(who);
  const value = { zone: 'UTC', currency: 'USD', country: 'PK' }[field];
  expect(await house.send(who, 'PATCH', at(id), { version: 1, [field]: value })).toMatchObject({
    status: 400,
  });
});

test('EVT-15: the amenity list is told with what it adds and removes; the same list tells nothing', async () => {
  const who = house.person();
  const { id } = await house.property(who, { amenities: ['free_wifi', 'generator'] });
  const amenities = ['free_wifi', 'solar_power'];
  const { body } = await house.send<PropertyView>(who, 'PUT', at(id, '/amenities'), {
    version: 1,
    amenities,
  });
  expect(body).toMatchObject({ amenities, version: 2 });
  const [changed] = await told(who, AmenityChanged);
  const payload = {
    propertyId: id,
    roomTypeId: null,
    amenities,
    added: ['solar_power'],
    removed: ['generator'],
  };
  expect(changed).toMatchObject({ aggregateId: id, aggregateVersion: 2, payload });
  const again = await house.send(who, 'PUT', at(id, '/amenities'), { version: 2, amenities });
  expect(again).toMatchObject({ status: 200, body: { version: 2 } });
  expect(await told(who, AmenityChanged)).toHaveLength(1);
});

test('a house cannot offer what is of a room, or what nobody knows', async () => {
  const who = house.person();
  const { id } = await house.property(who);
  for (const amenity of ['private_bathroom', 'helipad']) {
    const body = { version: 1, amenities: [amenity] };
    expect(await house.send(who, 'PUT', at(id, '/amenities'), body)).toMatchObject({ status: 400 });
  }
});

test('houses are listed a page at a time', async () => {
  const who = house.person();
  const ids = [];
  for (let n = 0; n < 3; n += 1) ids.push((await house.property(who)).id);
  type Page = { properties: PropertyView[] };
  const page = await house.send<Page>(who, 'GET', '/properties?limit=2');
  expect(page.body.properties.map(one => one.id)).toEqual(ids.slice(0, 2));
  const rest = await house.send<Page>(who, 'GET', `/properties?after=${ids[1]}`);
  expect(rest.body.properties.map(one => one.id)).toEqual(ids.slice(2));
});

test('the amenity catalogue is there in three languages', async () => {
  type Catalogue = { amenities: { code: string; name: { locale: string }[] }[] };
  const { body } = await house.send<Catalogue>(house.person('auditor'), 'GET', '/amenities');
  expect(body.amenities.map(one => one.code)).toContain('prayer_room');
  for (const { name } of body.amenities) expect(name.map(one => one.locale)).toEqual(['en', 'ps', 'fa-AF']);
});

test('property.property-of tells zone, currency, hours, hotel day and rules, and nothing of another tenant', async () => {
  const who = house.person();
  const { id } = await house.property(who, { businessDate: '2026-03-20' });
  expect(await house.propertyOf(who.tenantId, id)).toEqual({
    propertyId: id,
    name: kabul.name,
    zone: 'Asia/Kabul',
    currency: 'AFN',
    locales: ['en', 'fa-AF'],
    checkInFrom: '14:00',
    checkOutUntil: '12:00',
    businessDate: '2026-03-20',
    houseRules: { ...usualRules, dayCloseFrom: '00:00' },
    version: 1,
  });
  expect(await house.propertyOf(newTenantId(), id)).toBeNull();
  expect(await house.propertyOf(who.tenantId, newId('pro'))).toBeNull();
});
