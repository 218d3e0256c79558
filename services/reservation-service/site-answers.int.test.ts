import type { Question } from '@ghasi/backbone/question';
import { type Id, newId, type TenantId } from '@ghasi/domain-primitives/ids';
import { createLogger } from '@ghasi/telemetry/logger';
import { newTenantId } from '@ghasi/testing/tenants';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { z } from 'zod';
import { draftReservation } from './commands.ts';
import {
  bookDraft,
  bookingByCode,
  bookingOfDraft,
  cancelForGuest,
  changeDatesForGuest,
  siteBookingOf,
} from './contract/site-questions.ts';
import { type FrontOffice, openFrontOffice, service } from './fixtures/front-office.ts';
import { newBooking } from './fixtures/new-booking.ts';

let office: FrontOffice;
beforeAll(async () => {
  office = await openFrontOffice();
});
afterAll(() => office.system.stop());

const log = createLogger({ name: 'test', level: 'silent' });

/** The service's own answer; whom it would ask in turn knows of nothing. */
async function ask<In extends z.ZodType, Out extends z.ZodType>(
  question: Question<In, Out>,
  input: z.input<In>,
): Promise<z.output<Out>> {
  const answering = service.answers.find(one => one.question.name === question.name);
  const ctx = { db: office.system.db(service), log, ask: async () => null as never };
  return question.output.parse(await answering?.handle(ctx, question.input.parse(input)));
}

const phone = '+93700123456';

test('a booking is found by its code and the phone number it was made with; a wrong one of either finds nothing', async () => {
  const { tenantId, booking } = await office.confirmed();
  const { code, id: reservationId } = booking;
  const find = (of: TenantId, what: string, number: string) =>
    ask(bookingByCode, { tenantId: of, code: what, phone: number });
  expect(await find(tenantId, code, phone)).toEqual({ reservationId });
  expect(await find(tenantId, code, '+93700123457')).toBeNull();
  expect(await find(tenantId, 'BCDFGHJK', phone)).toBeNull();
  expect(await find(newTenantId(), code, phone)).toBeNull();
});

test('X-130: the site sees a booking and the guest’s name, but no number and no address', async () => {
  const { tenantId, booking } = await office.confirmed();
  const of = { tenantId, reservationId: booking.id };
  const seen = await ask(siteBookingOf, of);
  expect(seen).toMatchObject({ status: 'confirmed', guestName: 'Zarghuna Ahmadi', isAllocated: true });
  expect(JSON.stringify(seen)).not.toContain(phone.slice(1));
  expect(await ask(siteBookingOf, { ...of, tenantId: newTenantId() })).toBeNull();
  const bookingDraftId = booking.bookingDraftId as Id<'bdr'>;
  expect(await ask(bookingOfDraft, { tenantId, bookingDraftId })).toEqual(seen);
  expect(await ask(bookingOfDraft, { tenantId: newTenantId(), bookingDraftId })).toBeNull();
});

test('TB-60: a draft that was booked is answered with its booking, whatever is asked now', async () => {
  const { tenantId, booking } = await office.held();
  const again = await ask(bookDraft, {
    ...{ tenantId, bookingDraftId: booking.bookingDraftId as Id<'bdr'>, quoteId: newId('quo') },
    guest: { name: 'Somebody else', phone: '+93799999999', locale: 'en' },
    ...{ rail: 'card', requests: null },
  });
  expect(again).toMatchObject({ kind: 'done', booking: { reservationId: booking.id, status: 'held' } });
  const second = office.system.run(service, tenantId, draftReservation, newBooking());
  await expect(second).rejects.toThrow(/reservations_one_per_draft|duplicate key|Failed query/);
});

test('a price that nobody promised, or that was promised to another draft, is refused', async () => {
  const refused = await ask(bookDraft, {
    ...{ tenantId: newTenantId(), bookingDraftId: newId('bdr'), quoteId: newId('quo') },
    guest: { name: 'Zarghuna', phone, locale: 'en' },
    ...{ rail: 'card', requests: null },
  });
  expect(refused).toEqual({ kind: 'refused', code: 'QUOTE_GONE' });
});

test('R18: a guest gives up what is confirmed, once; a hold ends by itself and not by him', async () => {
  const { tenantId, booking } = await office.confirmed();
  const of = { tenantId, reservationId: booking.id };
  expect(await ask(cancelForGuest, of)).toMatchObject({
    kind: 'done',
    booking: { status: 'cancelled', endedBecause: 'guest_request' },
  });
  expect(await ask(cancelForGuest, of)).toEqual({ kind: 'refused', code: 'TRANSITION_REFUSED' });
  const held = await office.held();
  const stay = { arrival: '2026-03-22', departure: '2026-03-25' };
  const other = { tenantId: held.tenantId, reservationId: held.booking.id };
  expect(await ask(cancelForGuest, other)).toEqual({ kind: 'refused', code: 'TRANSITION_REFUSED' });
  expect(await ask(changeDatesForGuest, { ...other, stay })).toEqual({
    kind: 'refused',
    code: 'NOT_CHANGEABLE',
  });
  expect(await ask(cancelForGuest, { ...of, tenantId: newTenantId() })).toEqual({
    kind: 'refused',
    code: 'BOOKING_UNKNOWN',
  });
});
