import { on, type Reaction } from '@ghasi/backbone/reaction';
import { type Id, idToUuid } from '@ghasi/domain-primitives/ids';
import type { LocalDate } from '@ghasi/domain-primitives/local-date';
import type { Prefix } from '@ghasi/domain-primitives/naming';
import type { EventEnvelope } from '@ghasi/event-envelope/envelope';
import { FolioChargePosted } from '@melmastoon/billing-service/contract';
import { RoomStatusChanged, TaskCompleted } from '@melmastoon/housekeeping-service/contract';
import { TicketClosed, TicketOpened } from '@melmastoon/maintenance-service/contract';
import { DeltaApplied } from '@melmastoon/pricing-service/contract';
import {
  BusinessDateAdvanced,
  PropertyCreated,
  RoomAdded,
  RoomArchived,
} from '@melmastoon/property-service/contract';
import {
  BookingCancelled,
  BookingCheckedIn,
  BookingCheckedOut,
  BookingConfirmed,
  BookingDatesChanged,
  BookingNoShow,
} from '@melmastoon/reservation-service/contract';
import { hearOfBooking } from './ingest/bookings.ts';
import { hearOfCharge, hearOfDay, hearOfHouse, hearOfTask } from './ingest/houses.ts';
import { computeSoon } from './ingest/ingest.ts';
import { hearOfRoom, hearOfStatus, hearOfTicket, type OutOfOrder } from './ingest/rooms.ts';
import type { PricedNight } from './model.ts';

const bare = <P extends Prefix>(id: Id<P>): string => idToUuid(id);
const day = (text: string) => text as LocalDate;

/** Ids of the booking and its house, and what every sample has. */
function aboutBooking(
  { reservationId, propertyId }: { reservationId: Id<'rsv'>; propertyId: Id<'pro'> },
  { occurredAt, metadata }: Pick<EventEnvelope, 'occurredAt' | 'metadata'>,
  businessDate: string | null = null,
) {
  return {
    ids: { reservationId: bare(reservationId), propertyId: bare(propertyId) },
    base: {
      version: metadata.aggregateVersion,
      at: new Date(occurredAt),
      businessDate: businessDate === null ? null : day(businessDate),
    },
  };
}

type Priced = { date: string; price: { net: { amount: string }; gross: { amount: string } } };
const nightOf = (bookedRoomId: Id<'brm'>, { date, price }: Priced): PricedNight => ({
  bookedRoomId: bare(bookedRoomId),
  date: day(date),
  net: price.net.amount,
  gross: price.gross.amount,
});

const bookings = [
  on(BookingConfirmed, (ctx, payload, envelope) => {
    const { ids, base } = aboutBooking(payload, envelope);
    const { status, channel, payment, total, rooms } = payload;
    const data = {
      ...{ status, channel, rail: payment.rail, currency: total.gross.currency },
      roomTypes: Object.fromEntries(rooms.map(room => [bare(room.bookedRoomId), bare(room.roomTypeId)])),
      nights: rooms.flatMap(({ bookedRoomId, nights }) => nights.map(night => nightOf(bookedRoomId, night))),
    };
    return hearOfBooking(ctx, { ...ids, sample: { ...base, kind: 'confirmed', data } });
  }),
  // New dates hold once they have a price: the version is that of the booking that asked for them.
  on(DeltaApplied, (ctx, payload, envelope) => {
    const { ids, base } = aboutBooking(payload, envelope);
    const nights = payload.nights
      .filter(({ change }) => change !== 'removed')
      .map(night => nightOf(night.bookedRoomId, night));
    const sample = {
      ...base,
      version: payload.reservationVersion,
      kind: 'repriced' as const,
      data: { nights },
    };
    return hearOfBooking(ctx, { ...ids, sample });
  }),
  on(BookingDatesChanged, (ctx, payload, envelope) => {
    const { ids, base } = aboutBooking(payload, envelope);
    const { arrival, departure } = payload.newStay;
    const data = { reason: payload.reason, arrival: day(arrival), departure: day(departure) };
    return hearOfBooking(ctx, { ...ids, sample: { ...base, kind: 'dates_changed', data } });
  }),
  on(BookingCheckedIn, (ctx, payload, envelope) => {
    const { ids, base } = aboutBooking(payload, envelope, payload.businessDate);
    return hearOfBooking(ctx, { ...ids, sample: { ...base, kind: 'checked_in', data: {} } });
  }),
  on(BookingCheckedOut, (ctx, payload, envelope) => {
    const { ids, base } = aboutBooking(payload, envelope, payload.businessDate);
    const data = { status: payload.status };
    return hearOfBooking(ctx, { ...ids, sample: { ...base, kind: 'checked_out', data } });
  }),
  on(BookingNoShow, (ctx, payload, envelope) => {
    const { ids, base } = aboutBooking(payload, envelope, payload.businessDate);
    return hearOfBooking(ctx, { ...ids, sample: { ...base, kind: 'no_show', data: {} } });
  }),
  on(BookingCancelled, (ctx, payload, envelope) => {
    const { ids, base } = aboutBooking(payload, envelope);
    return hearOfBooking(ctx, { ...ids, sample: { ...base, kind: 'cancelled', data: {} } });
  }),
] as const;

const houses = [
  on(PropertyCreated, (ctx, { propertyId, zone, currency, businessDate }, { occurredAt: at }) =>
    hearOfHouse(ctx, { propertyId: bare(propertyId), zone, currency, openedOn: day(businessDate), at }),
  ),
  on(BusinessDateAdvanced, (ctx, { propertyId, closedDate, businessDate }, { occurredAt: at }) =>
    hearOfDay(ctx, {
      ...{ propertyId: bare(propertyId), closedDate: day(closedDate), businessDate: day(businessDate), at },
    }),
  ),
  on(FolioChargePosted, (ctx, { lineId, propertyId, source, amount: { net, gross }, businessDate }) =>
    hearOfCharge(ctx, {
      ...{ lineId: bare(lineId), propertyId: bare(propertyId), businessDate: day(businessDate) },
      kind: source.kind,
      reverses: source.kind === 'reversal' ? bare(source.reversedLineId) : null,
      ...{ currency: net.currency, net: net.amount, gross: gross.amount },
    }),
  ),
  on(TaskCompleted, (ctx, { taskId, propertyId, businessDate, outcome }) =>
    hearOfTask(ctx, {
      taskId: bare(taskId),
      propertyId: bare(propertyId),
      businessDate: day(businessDate),
      outcome,
    }),
  ),
] as const;

type Nights = { from: string; until: string };
const nights = ({ from, until }: Nights) => ({ from: day(from), until: day(until) });
const outIf = (kind: string | undefined, of: Nights | null | undefined): OutOfOrder =>
  kind === 'out_of_order' && of ? nights(of) : null;

const rooms = [
  on(RoomAdded, (ctx, { roomId, propertyId, roomTypeId, sellableFrom }) =>
    hearOfRoom(ctx, {
      ...{ roomId: bare(roomId), propertyId: bare(propertyId), roomTypeId: bare(roomTypeId) },
      ...{ sellableFrom: day(sellableFrom), closedFrom: null },
    }),
  ),
  on(RoomArchived, (ctx, { roomId, propertyId, roomTypeId, closedFrom }) =>
    hearOfRoom(ctx, {
      ...{ roomId: bare(roomId), propertyId: bare(propertyId), roomTypeId: bare(roomTypeId) },
      ...{ sellableFrom: null, closedFrom: day(closedFrom) },
    }),
  ),
  on(TicketOpened, (ctx, { ticketId, propertyId, roomId, block, blockedDays, openedAt }, { metadata }) =>
    hearOfTicket(ctx, {
      ...{ ticketId: bare(ticketId), version: metadata.aggregateVersion, kind: 'opened', at: openedAt },
      ...{ propertyId: bare(propertyId), roomId: roomId && bare(roomId), out: outIf(block, blockedDays) },
    }),
  ),
  on(TicketClosed, (ctx, { ticketId, propertyId, roomId, closedAt }, { metadata }) =>
    hearOfTicket(ctx, {
      ...{ ticketId: bare(ticketId), version: metadata.aggregateVersion, kind: 'closed', at: closedAt },
      ...{ propertyId: bare(propertyId), roomId: roomId && bare(roomId), out: null },
    }),
  ),
  on(RoomStatusChanged, (ctx, { roomId, propertyId, statusVersion, businessDate, from, to }) =>
    hearOfStatus(ctx, {
      ...{ roomId: bare(roomId), propertyId: bare(propertyId), version: statusVersion },
      businessDate: day(businessDate),
      before: outIf(from.overlay?.kind, from.overlay?.days),
      out: outIf(to.overlay?.kind, to.overlay?.days),
    }),
  ),
] as const;

const heard = [...bookings, ...houses, ...rooms] as unknown as readonly Reaction[]; // each is given its own event only

/** What is taken in when others speak; the houses it is about are computed `restMs` later. */
export function createReactions({ restMs }: { restMs: number }): Reaction[] {
  return heard.map(({ event, handle }) =>
    on(event, async (ctx, payload, envelope) => {
      const result = await handle(ctx, payload, envelope);
      await computeSoon(ctx, restMs);
      return result;
    }),
  );
}
