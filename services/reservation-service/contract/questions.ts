import { defineQuestion } from '@ghasi/backbone/question';
import { locale } from '@melmastoon/catalog/hotel-parts';
import { idText, localDate, money, price, tenantIdText } from '@melmastoon/catalog/parts';
import { dayCheck } from '@melmastoon/property-service/contract';
import { z } from 'zod';

/** What stands open of a hotel day here: arrivals that did not come, guests who should have left. */
export const dayStatus = defineQuestion({ name: 'reservation.day-status', ...dayCheck });

/** Whom to write to about a booking, and what about. Asked when a message is written: events carry no names. */
export const contactOf = defineQuestion({
  name: 'reservation.contact-of',
  input: z.strictObject({ tenantId: tenantIdText, reservationId: idText('rsv') }),
  output: z
    .strictObject({
      guestId: idText('gst'),
      name: z.string(),
      phone: z.string(),
      email: z.string().nullable(),
      locale,
      code: z.string(),
      propertyId: idText('pro'),
      arrival: localDate,
      departure: localDate,
      total: price,
      outstanding: money,
    })
    .nullable(),
});
