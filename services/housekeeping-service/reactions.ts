import { on } from '@ghasi/backbone/reaction';
import type { Id } from '@ghasi/domain-primitives/ids';
import type { LocalDate } from '@ghasi/domain-primitives/local-date';
import type { EventEnvelope } from '@ghasi/event-envelope/envelope';
import { AllocationReallocated } from '@melmastoon/inventory-service/contract';
import { TicketClosed, TicketOpened } from '@melmastoon/maintenance-service/contract';
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
  BookingCheckInUndone,
  BookingConfirmed,
  BookingModified,
  BookingNoShow,
} from '@melmastoon/reservation-service/contract';
import { endTicket, followTicket } from './commands/blocks.ts';
import { followDates } from './commands/dates.ts';
import { beginDay } from './commands/day.ts';
import { followRoom } from './commands/doors.ts';
import { type BookingFact, followBooking } from './commands/front-office.ts';
import type { Told } from './model/stay.ts';

type Booking = {
  readonly reservationId: Id<'rsv'>;
  readonly propertyId: Id<'pro'>;
  readonly rooms: readonly {
    readonly bookedRoomId: Id<'brm'>;
    readonly roomId: Id<'rom'> | null;
    readonly stay: { readonly arrival: string; readonly departure: string };
    readonly adults: number;
    readonly children: number;
  }[];
};

const versionOf = ({ metadata }: EventEnvelope) => metadata.aggregateVersion;
const day = (text: string) => text as LocalDate;

/** A booking event in the terms of this service; `more` is what it says of every room. */
function factOf(
  { reservationId, propertyId, rooms }: Booking,
  version: number,
  more: Pick<BookingFact, 'cause' | 'businessDate' | 'movedOut'> & { told?: Partial<Told> },
): BookingFact {
  const { told, ...rest } = more;
  return {
    ...{ reservationId, propertyId },
    ...rest,
    rooms: rooms.map(({ bookedRoomId, roomId, stay, adults, children }) => ({
      ...{ bookedRoomId, reservationId, propertyId, roomId, version },
      arrival: day(stay.arrival),
      departure: day(stay.departure),
      persons: adults + children,
      ...told,
    })),
  };
}

const onBooking = [
  on(BookingConfirmed, (ctx, booking, envelope) => {
    const told = { status: 'expected', keyFrom: new Date(booking.keyWindow.validFrom) } as const;
    return followBooking(ctx, factOf(booking, versionOf(envelope), { cause: 'operator', told }));
  }),
  on(BookingModified, (ctx, booking, envelope) => {
    const fact = factOf(booking, versionOf(envelope), { cause: 'room_move' });
    const nights = new Map(booking.moves.map(move => [move.bookedRoomId, day(move.fromNight)]));
    const movedOut = booking.status === 'checked_in' ? booking.moves : [];
    return followBooking(ctx, {
      ...fact,
      rooms: fact.rooms.map(told => {
        const fromNight = nights.get(told.bookedRoomId);
        return fromNight === undefined ? told : { ...told, fromNight };
      }),
      movedOut: movedOut.flatMap(({ fromRoomId: roomId, fromNight }) =>
        roomId === null ? [] : [{ roomId, fromNight: day(fromNight) }],
      ),
    });
  }),
  on(BookingCheckedIn, (ctx, booking, envelope) => {
    const businessDate = day(booking.businessDate);
    const told = { status: 'in_house', since: businessDate } as const;
    return followBooking(
      ctx,
      factOf(booking, versionOf(envelope), { cause: 'check_in', businessDate, told }),
    );
  }),
  on(BookingCheckInUndone, (ctx, booking, envelope) => {
    const told = { status: 'expected', isUndone: true } as const;
    const businessDate = day(booking.businessDate);
    return followBooking(
      ctx,
      factOf(booking, versionOf(envelope), { cause: 'operator', businessDate, told }),
    );
  }),
  on(BookingCheckedOut, (ctx, booking, envelope) => {
    const told = { status: 'left' } as const;
    const businessDate = day(booking.businessDate);
    return followBooking(
      ctx,
      factOf(booking, versionOf(envelope), { cause: 'check_out', businessDate, told }),
    );
  }),
  on(BookingCancelled, (ctx, booking, envelope) =>
    followBooking(ctx, factOf(booking, versionOf(envelope), { cause: 'operator', told: { status: 'gone' } })),
  ),
  on(BookingNoShow, (ctx, booking, envelope) =>
    followBooking(ctx, factOf(booking, versionOf(envelope), { cause: 'operator', told: { status: 'gone' } })),
  ),
  on(AllocationReallocated, (ctx, moved) => {
    const { reservationId, propertyId, reservationVersion, keyWindow } = moved;
    const rooms = moved.rooms.map(room => ({ ...room, stay: room.newStay }));
    const told = { keyFrom: new Date(keyWindow.validFrom) };
    const fact = factOf({ reservationId, propertyId, rooms }, reservationVersion, {
      cause: 'operator',
      told,
    });
    return followDates(ctx, fact);
  }),
] as const;

const onHouse = [
  on(PropertyCreated, (ctx, { propertyId, businessDate }, envelope) =>
    beginDay(ctx, { propertyId, businessDate: day(businessDate), version: versionOf(envelope) }),
  ),
  on(BusinessDateAdvanced, (ctx, { propertyId, businessDate }, envelope) =>
    beginDay(ctx, { propertyId, businessDate: day(businessDate), version: versionOf(envelope) }),
  ),
  on(RoomAdded, (ctx, { roomId: id, sellableFrom, ...room }, envelope) =>
    followRoom(ctx, { ...room, id, sellableFrom: day(sellableFrom), closedFrom: null }, versionOf(envelope)),
  ),
  on(RoomArchived, (ctx, { roomId: id, closedFrom, ...room }, envelope) =>
    followRoom(
      ctx,
      { ...room, id, floor: null, sellableFrom: null, closedFrom: day(closedFrom) },
      versionOf(envelope),
    ),
  ),
] as const;

const onRepairs = [
  on(TicketOpened, (ctx, ticket, envelope) => followTicket(ctx, ticket, versionOf(envelope))),
  on(TicketClosed, (ctx, ticket, envelope) => endTicket(ctx, ticket, versionOf(envelope))),
] as const;

/** What happens here when others speak. */
export const reactions = [...onBooking, ...onHouse, ...onRepairs] as const;
