import { newFormKey, phoneOf, requestKey } from '../forms.ts';
import type { TextKey } from '../messages/text-keys.ts';
import { cancelPage, datesPage, managePage, openPage } from '../pages/manage.ts';
import { troubleOf, troublePage } from '../pages/trouble.ts';
import { dateField, propertyIn, todayAt } from '../search.ts';
import type { PageRequest, PageRoute } from '../serve-page.ts';
import type { Booking, Cancellation, DateChange, Opened } from '../views.ts';
import type { Answer, Reply, Visit } from '../visit.ts';

/** A booking in the hands of its guest. */
export const manageRoutes: readonly PageRoute[] = [
  { method: 'GET', path: '/manage', handle: async visit => openForm(visit, {}) },
  { method: 'POST', path: '/manage', handle: open },
  { method: 'GET', path: '/manage/:reservationId', handle: show },
  { method: 'GET', path: '/manage/:reservationId/cancel', handle: askCancel },
  { method: 'POST', path: '/manage/:reservationId/cancel', handle: cancel },
  { method: 'GET', path: '/manage/:reservationId/dates', handle: askDates },
  { method: 'POST', path: '/manage/:reservationId/dates', handle: takeDates },
];

function openForm(visit: Visit, typed: { code?: string; phone?: string; wrong?: TextKey }): Reply {
  const { code = '', phone = '', wrong } = typed;
  return openPage(visit, { code, phone, wrong, formKey: newFormKey() });
}

async function open(visit: Visit, { form }: PageRequest): Promise<Reply> {
  const typed = { code: form.get('code').trim(), phone: form.get('phone').trim() };
  const phone = phoneOf(typed.phone, visit.hotel.properties[0]?.country ?? 'AF');
  if (phone === undefined) return openForm(visit, { ...typed, wrong: 'book.error_phone' });
  if (typed.code.length < 4 || typed.code.length > 24)
    return openForm(visit, { ...typed, wrong: 'manage.not_found' });
  const body = { code: typed.code, phone };
  const opened = await visit.ask<Opened>({
    method: 'POST',
    path: '/manage/open',
    body,
    idempotencyKey: requestKey(form.get('key'), body),
  });
  if (opened.ok) return { redirect: `${visit.base}/manage/${opened.body.reservationId}` };
  if (opened.status === 429) return openForm(visit, { ...typed, wrong: 'manage.too_many' });
  if (opened.status < 500) return openForm(visit, { ...typed, wrong: 'manage.not_found' });
  return refused(visit, opened);
}

function refused(visit: Visit, answer: Extract<Answer<unknown>, { ok: false }>): Reply {
  return troublePage(visit, troubleOf(answer), [
    { href: `${visit.base}/manage`, key: 'trouble.open_with_code' },
    { href: visit.base, key: 'trouble.search_again' },
  ]);
}

const bookingPath = (params: PageRequest['params']) => `/manage/${params.reservationId}`;

/** What the page has to say of what the guest just did; the address tells what he wanted, the booking what came of it. */
function saidOf(query: PageRequest['query'], { status, stay, wantedStay }: Booking): TextKey | undefined {
  if (status === 'cancelled') return query.get('said') === 'cancelled' ? 'manage.cancelled' : undefined;
  if (query.get('said') !== 'dates') return undefined;
  if (wantedStay !== null) return 'manage.dates_asked';
  const isAgreed = query.get('arrival') === stay.arrival && query.get('departure') === stay.departure;
  return isAgreed ? 'manage.dates_agreed' : 'manage.dates_refused';
}

async function show(visit: Visit, { params, query }: PageRequest): Promise<Reply> {
  const found = await visit.ask<Booking>({ method: 'GET', path: bookingPath(params) });
  if (!found.ok) return refused(visit, found);
  return managePage(visit, { booking: found.body, said: saidOf(query, found.body) });
}

async function askCancel(visit: Visit, { params }: PageRequest): Promise<Reply> {
  const preview = await visit.ask<Cancellation>({
    method: 'POST',
    path: `${bookingPath(params)}/cancel`,
    body: { preview: true },
    idempotencyKey: newFormKey(), // a look changes nothing; each one is new
  });
  if (!preview.ok) return refused(visit, preview);
  return cancelPage(visit, { preview: preview.body, formKey: newFormKey() });
}

async function cancel(visit: Visit, { params, form }: PageRequest): Promise<Reply> {
  const body = { preview: false };
  const path = `${bookingPath(params)}/cancel`;
  const idempotencyKey = requestKey(form.get('key'), { ...body, path });
  const done = await visit.ask<Cancellation>({ method: 'POST', path, body, idempotencyKey });
  // Cancelled by the first of two clicks: the booking says so itself.
  if (!done.ok && done.code !== 'NOT_CANCELLABLE') return refused(visit, done);
  return { redirect: `${visit.base}${bookingPath(params)}${done.ok ? '?said=cancelled' : ''}` };
}

async function askDates(visit: Visit, { params, query, now }: PageRequest): Promise<Reply> {
  const found = await visit.ask<Booking>({ method: 'GET', path: bookingPath(params) });
  if (!found.ok) return refused(visit, found);
  const booking = found.body;
  const today = todayAt(propertyIn(visit.hotel, booking.property.propertyId), now);
  const asked = query.has('arrival') || query.has('arrival_day');
  const arrival = dateField(query, 'arrival') ?? booking.stay.arrival;
  const departure = dateField(query, 'departure') ?? booking.stay.departure;
  const shown = { booking, arrival, departure, today, formKey: newFormKey() };
  if (!asked) return datesPage(visit, { ...shown, wrong: [], preview: undefined });
  if (departure <= arrival)
    return datesPage(visit, { ...shown, wrong: ['search.error_order'], preview: undefined });
  const preview = await visit.ask<DateChange>({
    method: 'POST',
    path: `${bookingPath(params)}/dates`,
    body: { arrival, departure, preview: true },
    idempotencyKey: newFormKey(),
  });
  if (preview.ok) return datesPage(visit, { ...shown, wrong: [], preview: preview.body });
  if (preview.status === 409 || preview.status === 400)
    return datesPage(visit, { ...shown, wrong: ['manage.dates_no'], preview: undefined });
  return refused(visit, preview);
}

async function takeDates(visit: Visit, { params, form }: PageRequest): Promise<Reply> {
  const body = { arrival: form.get('arrival'), departure: form.get('departure'), preview: false };
  const path = `${bookingPath(params)}/dates`;
  const idempotencyKey = requestKey(form.get('key'), { ...body, path });
  const asked = await visit.ask<DateChange>({ method: 'POST', path, body, idempotencyKey });
  if (!asked.ok && asked.status !== 409) return refused(visit, asked);
  if (!asked.ok) {
    const query = new URLSearchParams({ arrival: body.arrival, departure: body.departure });
    return { redirect: `${visit.base}${path}?${query}` };
  }
  const wish = new URLSearchParams({ said: 'dates', arrival: body.arrival, departure: body.departure });
  return { redirect: `${visit.base}${bookingPath(params)}?${wish}` };
}
