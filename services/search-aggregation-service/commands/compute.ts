import type { Ask } from '@ghasi/backbone/question';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import type { TenantId } from '@ghasi/domain-primitives/ids';
import type { LocalDate } from '@ghasi/domain-primitives/local-date';
import { localDateIn } from '@ghasi/domain-primitives/zone';
import { availability } from '@melmastoon/inventory-service/contract/questions';
import { calendarOf } from '@melmastoon/pricing-service/contract/questions';
import { propertyOf } from '@melmastoon/property-service/contract';
import { resolveTenant } from '@melmastoon/tenant-service/contract';
import { type Handler, horizonFrom } from '../model.ts';
import { type findHouse, renameHouse, type Tenant, updateTenant } from '../queries/heard.ts';
import { writeNights, writeRates } from '../queries/projections.ts';

/** What the parts of a listing are computed from. */
export type Source = {
  readonly ask: Ask;
  readonly tenantId: TenantId;
  readonly tenant: Tenant | undefined;
  readonly house: NonNullable<Awaited<ReturnType<typeof findHouse>>>;
  readonly now: Date;
};

/** A computed part, still to be saved. */
export type Save = (ctx: Ctx) => Promise<void>;

/** Asks the owners of the facts, outside any transaction; what comes back is saved together with its watermark. */
export const compute: Readonly<Record<Handler, (source: Source) => Promise<Save>>> = {
  async facts({ ask, tenantId, tenant, house: { propertyId } }) {
    const [known, facts] = [
      tenant?.slug == null ? undefined : await ask(resolveTenant, { slug: tenant.slug }),
      await ask(propertyOf, { tenantId, propertyId }),
    ];
    return async ctx => {
      if (facts !== null) await renameHouse(ctx, propertyId, facts.name);
      // No answer to a slug that once was given: the tenant is no more.
      if (known !== undefined)
        await updateTenant(ctx, {
          slug: known?.slug ?? tenant?.slug ?? null,
          status: known?.status ?? 'closed',
        });
    };
  },

  async availability({ ask, tenantId, house: { propertyId, zone }, now }) {
    const { from: arrival, until: departure } = horizonFrom(localDateIn(zone, now));
    const { roomTypes } = await ask(availability, { tenantId, propertyId, stay: { arrival, departure } });
    const nights = roomTypes.flatMap(type =>
      type.nights.map(({ date, available, stopSell }) => ({
        ...{ roomTypeId: type.roomTypeId, date: date as LocalDate, free: stopSell ? 0 : available },
      })),
    );
    return ctx => writeNights(ctx, propertyId, nights);
  },

  async prices({ ask, tenantId, house: { propertyId, zone }, now }) {
    const calendar = await ask(calendarOf, { tenantId, propertyId, ...horizonFrom(localDateIn(zone, now)) });
    return ctx => writeRates(ctx, propertyId, calendar?.rates ?? []);
  },
};
