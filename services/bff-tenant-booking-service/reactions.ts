import { on, type Reaction } from '@ghasi/backbone/reaction';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import type { Id } from '@ghasi/domain-primitives/ids';
import {
  AllocationCommitted,
  AllocationReallocated,
  AllocationReleased,
  StopSellActivated,
  StopSellCleared,
} from '@melmastoon/inventory-service/contract';
import { CalendarUpdated, RatePlanArchived, RatePlanPublished } from '@melmastoon/pricing-service/contract';
import {
  AmenityChanged,
  PropertyCreated,
  RoomAdded,
  RoomArchived,
  RoomTypePublished,
} from '@melmastoon/property-service/contract';
import {
  BookingCancelled,
  BookingCheckedIn,
  BookingCheckedOut,
  BookingConfirmed,
  BookingDatesChanged,
  BookingModified,
  BookingNoShow,
} from '@melmastoon/reservation-service/contract';
import { SettingsChanged, TenantSuspended } from '@melmastoon/tenant-service/events';
import {
  ContentBlockChanged,
  PresetPublished,
  TokensChanged,
} from '@melmastoon/theme-config-service/contract';
import { type Family, tags } from './caches.ts';
import { convert, failDraft } from './commands/settle-draft.ts';
import { failureBecause } from './model.ts';
import { tagsTouching } from './night-tags.ts';
import { forgetSlugs } from './resolve-tenant.ts';
import type { Booking } from './runtime.ts';

/**
 * What happens when others' events arrive: cached answers are forgotten after the commit (what is missed lives no longer
 * than its time), and drafts end with the bookings they became.
 */
export function bookingReactions(booking: Booking): Reaction[] {
  const forget = (ctx: Ctx, families: readonly Family[], changed: readonly string[]) =>
    ctx.afterCommit(() => {
      const work = booking
        .caches()
        .then(caches => Promise.all(families.map(family => caches[family].invalidateTags(changed))));
      return work.catch(err =>
        ctx.log.warn({ err }, 'a cached answer could not be forgotten; it ends with its time'),
      );
    });
  const site = (ctx: Ctx) =>
    forget(ctx, ['tenant-bootstrap', 'availability', 'cheapest'], [tags.site(ctx.tenantId)]);
  const house = (ctx: Ctx, { propertyId }: { propertyId: Id<'pro'> }) =>
    forget(ctx, ['availability', 'cheapest'], [tags.house(ctx.tenantId, propertyId)]);
  const nights = (ctx: Ctx, sold: { propertyId: Id<'pro'>; nights: readonly { date: string }[] }) => {
    const { tenantId } = ctx;
    const dates = sold.nights.map(({ date }) => date);
    return forget(
      ctx,
      ['availability', 'cheapest'],
      tagsTouching({ tenantId, propertyId: sold.propertyId }, dates),
    );
  };
  const seen = (ctx: Ctx, { reservationId }: { reservationId: Id<'rsv'> }) =>
    forget(ctx, ['confirmation'], [tags.booking(ctx.tenantId, reservationId)]);

  return [
    on(TenantSuspended, ctx => {
      site(ctx);
      ctx.afterCommit(() =>
        forgetSlugs(booking).catch(err =>
          ctx.log.warn({ err }, 'the slug of a suspended tenant is still kept'),
        ),
      );
    }),
    ...[SettingsChanged, TokensChanged, ContentBlockChanged, PresetPublished, PropertyCreated].map(event =>
      on(event as typeof SettingsChanged, ctx => site(ctx)),
    ),
    ...[AmenityChanged, RoomTypePublished, RatePlanPublished, RatePlanArchived].map(event =>
      on(event as typeof AmenityChanged, ctx => site(ctx)),
    ),
    ...[RoomAdded, RoomArchived, CalendarUpdated, StopSellActivated, StopSellCleared].map(event =>
      on(event as typeof RoomAdded, house),
    ),
    ...[AllocationCommitted, AllocationReleased, AllocationReallocated].map(event =>
      on(event as typeof AllocationCommitted, nights),
    ),
    on(BookingConfirmed, async (ctx, { reservationId, bookingDraftId, payment: { rail } }) => {
      seen(ctx, { reservationId });
      if (bookingDraftId === null) return undefined;
      return convert(ctx, { draftId: bookingDraftId, reservationId, rail });
    }),
    on(BookingCancelled, async (ctx, { reservationId, reason, deadlineKind, previousStatus }) => {
      seen(ctx, { reservationId });
      if (previousStatus !== 'held') return undefined;
      const failure = failureBecause(reason, deadlineKind === 'payment');
      return failDraft(ctx, { named: { reservationId }, failure, reservationId });
    }),
    ...[BookingModified, BookingDatesChanged, BookingCheckedIn, BookingCheckedOut, BookingNoShow].map(event =>
      on(event as typeof BookingModified, seen),
    ),
  ] as Reaction[];
}
