import { afterAll, beforeAll, expect, test } from 'vitest';
import { type BookingGuest, bookingGuest, confirmation, person } from './fixtures/booking-guest.ts';
import { type BookingServer, bookingServer } from './fixtures/booking-server.ts';
import { onThePage } from './fixtures/stay.ts';

let server: BookingServer;
let guest: BookingGuest;
beforeAll(async () => {
  server = await bookingServer('redis');
  guest = await bookingGuest(server.url, 'bala-hissar');
});
afterAll(() => server.close());

const FAR = 200;

test('safety-30: FLUSHALL before the click loses the draft; the guest chooses again and books', async () => {
  const draft = await guest.draft(FAR);
  await server.flush();
  const path = `/drafts/${draft.draftId}/confirm`;
  expect((await guest.try('POST', path, confirmation('cash_pending'))).status).toBe(404);
  expect((await guest.send('GET', '/drafts/current')).draft).toBeNull();
  const again = await guest.draft(FAR);
  await guest.send('POST', `/drafts/${again.draftId}/confirm`, confirmation('cash_pending'));
  expect((await guest.once(again.draftId, 'confirming')).state).toBe('confirmed');
});

test('safety-30: FLUSHALL while the guest pays loses neither his money nor his room, nor his page', async () => {
  const draft = await guest.draft(FAR + 3);
  const path = `/drafts/${draft.draftId}`;
  const made = await guest.send('POST', `${path}/confirm`, confirmation('card'));
  const { redirectUrl } = await guest.once(draft.draftId, 'confirming');
  await server.flush();
  const again = await guest.send('POST', `${path}/confirm`, confirmation('card'));
  expect(again.reservationId).toBe(made.reservationId);
  await onThePage(redirectUrl, 'pay');
  await server.flush();
  const outcome = await guest.once(draft.draftId, 'paying', 'confirming');
  expect(outcome).toMatchObject({ state: 'confirmed', code: made.code });
  const seen = await guest.send('GET', `/confirmations/${made.reservationId}`);
  expect(seen).toMatchObject({ status: 'confirmed', guestName: person.name });
  expect(BigInt(seen.paid.amount)).toBeGreaterThan(0n);
});

test('safety-30: FLUSHALL takes the right to manage away from who had shown a code; he shows it again', async () => {
  const draft = await guest.draft(FAR + 6);
  const path = `/drafts/${draft.draftId}/confirm`;
  const { code, reservationId } = await guest.send('POST', path, confirmation('cash_pending'));
  const other = await bookingGuest(server.url, 'bala-hissar');
  await other.send('POST', '/manage/open', { code, phone: person.phone });
  expect((await other.try('GET', `/manage/${reservationId}`)).status).toBe(200);
  await server.flush();
  expect((await other.try('GET', `/manage/${reservationId}`)).status).toBe(404);
  await other.send('POST', '/manage/open', { code, phone: person.phone });
  expect((await other.try('GET', `/manage/${reservationId}`)).status).toBe(200);
});
