import type { Database } from '@ghasi/db/database';
import {
  type Id,
  idFromUuid,
  PLATFORM_TENANT_ID,
  parseTenantId,
  type TenantId,
} from '@ghasi/domain-primitives/ids';
import type { LocalDate } from '@ghasi/domain-primitives/local-date';
import { parseZone } from '@ghasi/domain-primitives/zone';
import { seedHousekeeping } from '@melmastoon/housekeeping-service/demo';
import { seedOperators } from '@melmastoon/iam-service/demo';
import { seedLocks } from '@melmastoon/lock-integration-service/demo';
import type { LockVendor } from '@melmastoon/lock-integration-service/lock-vendor';
import { seedMaintenance } from '@melmastoon/maintenance-service/demo';
import { seedPricing } from '@melmastoon/pricing-service/demo';
import { seedHouses } from '@melmastoon/property-service/demo';
import { demoHouses } from '@melmastoon/property-service/demo-houses';
import { seedTenants } from '@melmastoon/tenant-service/demo';
import { seedLooks } from '@melmastoon/theme-config-service/demo';
import { demoLooks } from '@melmastoon/theme-config-service/demo-looks';
import { filled, fillHouse } from './demo-fill.ts';

/** One person of the demo, as printed at start. */
export type DemoAccount = {
  hotel: string;
  slug: string;
  name: string;
  role: string;
  email: string;
  password: string;
};

const DEMO_PASSWORD = 'melma-guest-house'; // shown on every start of a demo; production refuses to seed it

/** Fixed ids, so that seeding twice finds what it made the first time. */
const demoUuid = (n: number) => `0193de70-0000-7000-8000-${n.toString(16).padStart(12, '0')}`;

const hotels = [
  {
    tenantId: PLATFORM_TENANT_ID as TenantId,
    slug: 'platform',
    name: 'Melmastoon platform',
    settings: { currency: 'USD', zone: 'UTC', defaultLocale: 'en', locales: ['en'], calendar: 'gregorian' },
    people: [{ n: 1, name: 'Spogmai Admin', role: 'platform_admin', email: 'admin@platform.example' }],
  },
  {
    tenantId: parseTenantId(demoUuid(0x100)),
    slug: 'bala-hissar',
    name: 'Bala Hissar Guest House, Kabul',
    settings: {
      currency: 'AFN',
      zone: 'Asia/Kabul',
      defaultLocale: 'fa-AF',
      locales: ['fa-AF', 'ps', 'en'],
      calendar: 'solar-hijri',
    },
    people: [
      { n: 0x101, name: 'Zarghuna Wardak', role: 'owner', email: 'owner@bala-hissar.example' },
      { n: 0x102, name: 'Farid Noori', role: 'front_desk', email: 'desk@bala-hissar.example' },
      { n: 0x103, name: 'Laila Sadat', role: 'housekeeping', email: 'rooms@bala-hissar.example' },
    ],
  },
  {
    tenantId: parseTenantId(demoUuid(0x200)),
    slug: 'gazargah',
    name: 'Gazargah Garden Hotel, Herat',
    settings: {
      currency: 'USD',
      zone: 'Asia/Kabul',
      defaultLocale: 'en',
      locales: ['en', 'fa-AF'],
      calendar: 'gregorian',
    },
    people: [
      { n: 0x201, name: 'Homayun Heravi', role: 'owner', email: 'owner@gazargah.example' },
      { n: 0x202, name: 'Nasrin Karimi', role: 'front_desk', email: 'desk@gazargah.example' },
    ],
  },
  {
    tenantId: parseTenantId(demoUuid(0x300)),
    slug: 'silk-valley',
    name: 'Silk Valley Lodge, Bamyan',
    settings: {
      currency: 'USD',
      zone: 'Asia/Kabul',
      defaultLocale: 'fa-AF',
      locales: ['fa-AF', 'en'],
      calendar: 'solar-hijri',
    },
    people: [
      { n: 0x301, name: 'Roya Hazara', role: 'owner', email: 'owner@silk-valley.example' },
      { n: 0x302, name: 'Jawad Amiri', role: 'front_desk', email: 'desk@silk-valley.example' },
    ],
  },
] as const;

const operatorId = (n: number) => idFromUuid('usr', demoUuid(n));

/** An ordinary night of the smallest room in minor units; each further guest a room takes adds a third of it. */
const nightly: Readonly<Record<string, bigint>> = { AFN: 180_000n, USD: 3_500n };

/** The schemas whose services have demo data. */
export const seeded = ['tenant', 'iam', 'property', 'theme_config', 'maintenance', ...filled] as const;

/** `locks` are hung on the doors; default none: rooms have metal keys. Without `stays` the houses stay empty. */
export type DemoParts = { locks?: readonly LockVendor[]; stays?: boolean };

/** Fills the demo hotels in, or leaves them as they are; returns who can sign in. */
export async function seedDemo(
  databases: Record<(typeof seeded)[number], Database>,
  { locks: vendors = [], stays = true }: DemoParts = {},
): Promise<DemoAccount[]> {
  await seedTenants(
    databases.tenant,
    hotels.map(({ tenantId, slug, name, settings, people }) => ({
      tenantId,
      slug,
      name,
      settings: { ...settings, locales: [...settings.locales] },
      members: people.map(({ n, role }) => ({ operatorId: operatorId(n), roles: [role] })),
    })),
  );
  await seedOperators(
    databases.iam,
    hotels.flatMap(({ tenantId, people }) =>
      people.map(({ n, name, email }) => ({
        tenantId,
        operatorId: operatorId(n),
        name,
        email,
        password: DEMO_PASSWORD,
      })),
    ),
  );
  const days = await seedHouses(databases.property, demoHouses);
  for (const [n, house] of demoHouses.entries()) {
    const { openedOn: today, businessDate } = days[n] as (typeof days)[number];
    const priced = pricedHouse(house, today);
    const plans = await seedPricing(databases.pricing, priced);
    const known = filledHouse(house, priced);
    await seedHousekeeping(databases.housekeeping, { ...known, today });
    const doors = { ...known, property: priced.property, pairedBy: known.operatorId };
    await seedLocks(databases.lock_integration, doors, { vendors });
    // A house that has closed days before it had guests has a life of its own.
    if (!stays || businessDate !== today) continue;
    await fillHouse(databases, { ...withoutLastRoom(known), plans, today });
    const workshop = { reporterId: known.keeperId, mechanicId: known.operatorId, today };
    await seedMaintenance(databases.maintenance, { ...known, ...workshop });
  }
  await seedLooks(databases.theme_config, demoLooks);
  return hotels.flatMap(({ name: hotel, slug, people }) =>
    people.map(({ name, role, email }) => ({ hotel, slug, name, role, email, password: DEMO_PASSWORD })),
  );
}

/** What pricing must know of a house before property-service's events have told it. */
function pricedHouse({ tenantId, id, facts, roomTypes }: (typeof demoHouses)[number], today: LocalDate) {
  const zone = parseZone(facts.zone);
  const third = (nightly[facts.currency] ?? 5_000n) / 3n;
  return {
    tenantId,
    property: { id, zone, currency: facts.currency, checkInFrom: facts.checkInFrom },
    roomTypes: roomTypes.map(({ id: roomTypeId, spec: { maxAdults, maxChildren, maxGuests } }) => ({
      ...{ id: roomTypeId, maxAdults, maxChildren, maxGuests },
      nightly: third * BigInt(2 + maxGuests),
    })),
    today,
  };
}

/** What everybody must know of a house who hears of a stay. */
function filledHouse(
  { tenantId, id: propertyId, facts, roomTypes }: (typeof demoHouses)[number],
  { property, roomTypes: priced }: ReturnType<typeof pricedHouse>,
) {
  const { currency, checkInFrom, checkOutUntil } = facts;
  return {
    ...{ tenantId, propertyId, zone: property.zone, currency, checkInFrom, checkOutUntil },
    roomTypes: roomTypes.map(({ id, spec, rooms }, n) => ({
      ...{ id, maxAdults: spec.maxAdults, maxChildren: spec.maxChildren },
      nightly: priced[n]?.nightly ?? 0n,
      roomIds: rooms.map(room => room.id),
    })),
    rooms: roomTypes.flatMap(({ id: roomTypeId, rooms }) => rooms.map(room => ({ ...room, roomTypeId }))),
    operatorId: personAt(tenantId, 'front_desk'),
    keeperId: personAt(tenantId, 'housekeeping'),
  };
}

/** The last room of a house is out of order: nobody sleeps in it. */
function withoutLastRoom(house: ReturnType<typeof filledHouse>) {
  const broken = house.rooms.at(-1)?.id;
  const roomTypes = house.roomTypes.map(type => ({
    ...type,
    roomIds: type.roomIds.filter(id => id !== broken),
  }));
  return { ...house, roomTypes };
}

/** Who does a kind of work in a group; where nobody is there for it, the desk does it. */
function personAt(tenantId: TenantId, wanted: 'front_desk' | 'housekeeping'): Id<'usr'> {
  const people = hotels.find(hotel => hotel.tenantId === tenantId)?.people ?? [];
  const found =
    people.find(({ role }) => role === wanted) ?? people.find(({ role }) => role === 'front_desk');
  if (found === undefined) throw new Error(`nobody works at the desk of ${tenantId}`);
  return operatorId(found.n);
}
