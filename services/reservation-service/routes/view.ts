import type { z } from 'zod';
import type { guestDetails, reservationView } from '../contract/resources.ts';
import { missingForCheckIn, type Reservation } from '../model.ts';

/** A booking as its readers see it. */
export function view(
  booking: Reservation,
  guest: z.input<typeof guestDetails> | null = null,
): z.input<typeof reservationView> {
  const { id, code, propertyId, guestId, status, channel, quoteId, stay, total, payment } = booking;
  const { dueNow, expiresAt, keptUntil, folioId, version } = booking;
  return {
    ...{
      reservationId: id,
      code,
      propertyId,
      guestId,
      guest,
      status,
      channel,
      quoteId,
      stay,
      total,
      payment,
    },
    ...{ dueNow, expiresAt, keptUntil, folioId, version },
    requests: booking.requests ?? null,
    rooms: [...booking.rooms],
    wantedStay: booking.wanted?.stay ?? null,
    missing: missingForCheckIn(booking),
  };
}
