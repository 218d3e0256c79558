import { coreErrors } from '@ghasi/domain-primitives/errors';
import type { Id, TenantId } from '@ghasi/domain-primitives/ids';
import { cacheKey } from '@ghasi/hot/cache-key';
import { httpErrors } from '@ghasi/http/errors';
import type { locale } from '@melmastoon/catalog/hotel-parts';
import { railsOffered } from '@melmastoon/payment-gateway-service/contract';
import { plansOnSale } from '@melmastoon/pricing-service/contract/site-questions';
import { amenityCatalogue } from '@melmastoon/property-service/contract/amenities';
import { housesOf, type SiteHouse } from '@melmastoon/property-service/contract/resources';
import { siteSettingsOf } from '@melmastoon/tenant-service/contract';
import { themeOf } from '@melmastoon/theme-config-service/contract';
import { contentOf } from '@melmastoon/theme-config-service/contract/resources';
import type { z } from 'zod';
import { GRACE_MS, tags, ttlMs } from './caches.ts';
import {
  type GuestRail,
  guestRails,
  type PropertyCard,
  type TenantBootstrap,
  tenantBootstrap,
} from './contract/booking-parts.ts';
import type { Booking } from './runtime.ts';

export type Locale = z.output<typeof locale>;
type Texts = readonly { locale: Locale; text: string }[];

/** What a guest wishes; the tenant's own where it is missing or not spoken. */
export type Wishes = {
  locale?: Locale | null | undefined;
  currency?: TenantBootstrap['currency'] | null | undefined;
};

/** A text in a language, else in English, else in whichever there is. */
export function inLocale(texts: Texts, wanted: Locale): string {
  const found =
    texts.find(one => one.locale === wanted) ?? texts.find(one => one.locale === 'en') ?? texts[0];
  return found?.text ?? '';
}

/** The tenant as its pages show it. */
export async function siteOf(
  booking: Booking,
  tenantId: TenantId,
  wishes: Wishes = {},
): Promise<TenantBootstrap> {
  return JSON.parse(await siteText(booking, tenantId, wishes));
}

/** TB-08: the same as JSON that has passed `tenantBootstrap`. One load per key, whoever comes; events make it new. */
export async function siteText(
  booking: Booking,
  tenantId: TenantId,
  { locale: wanted, currency }: Wishes,
): Promise<string> {
  const { 'tenant-bootstrap': cache } = await booking.caches();
  return cache.getOrLoadText(cacheKey({ tenantId, parts: [wanted ?? '', currency ?? ''] }), {
    ttlMs: ttlMs['tenant-bootstrap'],
    graceMs: GRACE_MS,
    tags: [tags.site(tenantId)],
    load: async () => tenantBootstrap.parse(await compose(booking, tenantId, { locale: wanted, currency })),
  });
}

/** A house of the site; one of another tenant is not found. */
export async function houseOf(
  booking: Booking,
  tenantId: TenantId,
  { propertyId, locale: wanted }: { propertyId: Id<'pro'>; locale?: Locale | null | undefined },
): Promise<{ site: TenantBootstrap; house: PropertyCard }> {
  const site = await siteOf(booking, tenantId, { locale: wanted });
  const house = site.properties.find(one => one.propertyId === propertyId);
  if (house === undefined) throw coreErrors.NOT_FOUND({ entity: 'Property' });
  return { site, house };
}

async function compose({ ask }: Booking, tenantId: TenantId, wishes: Wishes): Promise<TenantBootstrap> {
  const settings = await ask(siteSettingsOf, { tenantId });
  if (settings === null) throw coreErrors.NOT_FOUND({ entity: 'Tenant' });
  if (settings.status !== 'active') throw httpErrors.TENANT_NOT_ACTIVE();
  const { locales, defaultLocale, calendar, digits, weekendDays, zone } = settings;
  const spoken = wishes.locale && locales.includes(wishes.locale) ? wishes.locale : defaultLocale;
  const [{ houses }, theme, { blocks }, { rails }] = await Promise.all([
    ask(housesOf, { tenantId }),
    ask(themeOf, { tenantId, propertyId: null }),
    ask(contentOf, { tenantId, propertyId: null, locale: spoken }),
    ask(railsOffered, { tenantId }),
  ]);
  const properties = await Promise.all(
    houses.map(async house => {
      const { plans } = await ask(plansOnSale, { tenantId, propertyId: house.propertyId });
      const allowed = new Set(plans.flatMap(plan => plan.rails).filter(one => rails.includes(one)));
      return {
        ...cardOf(house, spoken),
        plans: plans.map(({ ratePlanId, name }) => ({ ratePlanId, name: inLocale(name, spoken) })),
        rails: guestRails.filter(rail => allowed.has(rail)),
      };
    }),
  );
  const currencies = [...new Set([settings.currency, ...properties.map(({ currency }) => currency)])];
  return {
    tenant: { name: settings.name, slug: settings.slug, status: 'active' },
    ...{ locale: spoken, locales, calendar, digits, weekendDays, zone, theme, properties, currencies },
    currency: wishes.currency && currencies.includes(wishes.currency) ? wishes.currency : settings.currency,
    blocks: blocks.map(({ placement, position, locale: of, text }) => ({
      placement,
      position,
      locale: of,
      text,
    })),
  };
}

function cardOf(house: SiteHouse, spoken: Locale): Omit<PropertyCard, 'plans' | 'rails'> {
  const { propertyId, name, city, country, position, zone, currency, checkInFrom, checkOutUntil } = house;
  const roomTypes = house.roomTypes.map(({ roomTypeId, code, spec }) => {
    const { maxAdults, maxChildren, maxGuests, beds, areaSquareMetres, smoking, photoIds } = spec;
    return {
      ...{ roomTypeId, code, maxAdults, maxChildren, maxGuests, beds, areaSquareMetres, smoking, photoIds },
      name: inLocale(spec.name, spoken),
      description: spec.description === null ? null : inLocale(spec.description, spoken),
      amenities: amenitiesIn(spec.amenities, spoken),
    };
  });
  return {
    ...{ propertyId, country, position, zone, currency, checkInFrom, checkOutUntil, roomTypes },
    ...{ name: inLocale(name, spoken), city: inLocale(city, spoken) },
    amenities: amenitiesIn(house.amenities, spoken),
    photoIds: [...new Set(roomTypes.flatMap(type => type.photoIds.slice(0, 1)))],
  };
}

function amenitiesIn(codes: readonly string[], spoken: Locale) {
  return codes.map(code => ({
    code,
    name: amenityCatalogue[code as keyof typeof amenityCatalogue]?.[spoken] ?? code,
  }));
}

/** The ways to pay that the site offers, of those a price allows. */
export function offeredRails<R extends { rail: string }>(
  rails: readonly R[],
  house: Pick<PropertyCard, 'rails'>,
): (R & { rail: GuestRail })[] {
  return rails.filter((one): one is R & { rail: GuestRail } => house.rails.includes(one.rail as GuestRail));
}
