import { type Fields, newFormKey, phoneOf, requestKey } from '../forms.ts';
import { bookPage, type GuestForm, type Wrong } from '../pages/book.ts';
import { confirmationPage } from '../pages/confirmation.ts';
import { type NextStep, troubleOf, troublePage } from '../pages/trouble.ts';
import { waitPage } from '../pages/wait.ts';
import { returnCookie } from '../payment-return.ts';
import { propertyIn, searchOf, searchQuery } from '../search.ts';
import type { PageRequest, PageRoute } from '../serve-page.ts';
import type { Booking, Confirmed, Draft, Outcome } from '../views.ts';
import type { Reply, Visit } from '../visit.ts';

/** From a chosen room to the confirmation. Every POST answers with the address of the next page. */
export const bookingRoutes: readonly PageRoute[] = [
  { method: 'POST', path: '/drafts', handle: choose },
  { method: 'GET', path: '/book/:draftId', handle: details },
  { method: 'POST', path: '/book/:draftId', handle: confirm },
  { method: 'GET', path: '/pay/:draftId', handle: pay },
  { method: 'GET', path: '/pay/:draftId/state', handle: state },
  { method: 'GET', path: '/booking/:reservationId', handle: confirmation },
];

async function choose(visit: Visit, { form, now }: PageRequest): Promise<Reply> {
  const { search, wrong } = searchOf(withHotel(form), visit.hotel, now);
  const again = [
    { href: `${visit.base}/rooms?${searchQuery(search)}`, key: 'trouble.choose_again' },
    { href: visit.base, key: 'trouble.search_again' },
  ] as const;
  if (wrong.length > 0) return { redirect: `${visit.base}?${searchQuery(search)}` };
  const wish = {
    ...search,
    roomTypeId: form.get('roomTypeId'),
    ratePlanId: form.get('ratePlanId'),
    locale: visit.speech.locale,
  };
  const made = await visit.ask<Draft>({
    method: 'POST',
    path: '/drafts',
    body: wish,
    idempotencyKey: requestKey(form.get('key'), wish),
  });
  if (!made.ok) return troublePage(visit, troubleOf(made), again);
  return { redirect: `${visit.base}/book/${made.body.draftId}` };
}

/** Forms name the house `propertyId` as the BFF does; addresses say `hotel`. */
function withHotel(form: Fields): Fields {
  return { ...form, get: name => form.get(name === 'hotel' ? 'propertyId' : name) };
}

async function details(visit: Visit, { params }: PageRequest): Promise<Reply> {
  const found = await visit.ask<Draft>({ method: 'GET', path: `/drafts/${params.draftId}` });
  if (!found.ok) return troublePage(visit, troubleOf(found), nextSteps(visit));
  const elsewhere = notOpen(visit, found.body);
  if (elsewhere !== undefined) return elsewhere;
  const [only] = found.body.payChoices;
  const form = { name: '', phone: '', email: '', requests: '', rail: only?.rail ?? '' };
  return bookPage(visit, { draft: found.body, form, wrong: [], formKey: newFormKey(), priceChanged: false });
}

/** Where a draft that can no longer be filled in leads: the back button of a guest who has booked ends here. */
function notOpen(visit: Visit, draft: Draft): Reply | undefined {
  if (draft.state === 'expired') return troublePage(visit, 'QUOTE_EXPIRED', nextSteps(visit, draft));
  return draft.state === 'open' ? undefined : { redirect: `${visit.base}/pay/${draft.draftId}` };
}

function nextSteps(visit: Visit, draft?: Draft): NextStep[] {
  const again = { href: visit.base, key: 'trouble.search_again' as const };
  if (draft === undefined) return [again, { href: `${visit.base}/manage`, key: 'trouble.open_with_code' }];
  const search = { ...draft, arrival: draft.stay.arrival, departure: draft.stay.departure };
  return [{ href: `${visit.base}/rooms?${searchQuery(search)}`, key: 'trouble.choose_again' }, again];
}

async function confirm(visit: Visit, { params, form }: PageRequest): Promise<Reply> {
  const path = `/drafts/${params.draftId}`;
  const found = await visit.ask<Draft>({ method: 'GET', path });
  if (!found.ok) return troublePage(visit, troubleOf(found), nextSteps(visit));
  const draft = found.body;
  const typed = guestForm(form);
  const { wrong, phone } = checked(typed, {
    draft,
    country: propertyIn(visit.hotel, draft.propertyId).country,
  });
  // Sent twice: the first one has booked, and this one is shown where it went.
  if (draft.state !== 'open') return notOpen(visit, draft) ?? { redirect: visit.base };
  if (wrong.length > 0 || phone === undefined) {
    return bookPage(visit, { draft, form: typed, wrong, formKey: newFormKey(), priceChanged: false });
  }
  const body = {
    guest: {
      name: typed.name,
      phone,
      email: typed.email === '' ? null : typed.email,
      requests: typed.requests === '' ? null : typed.requests,
    },
    rail: typed.rail,
    locale: visit.speech.locale,
    seenTotal: {
      amount: form.get('seenTotal') || draft.total.gross.amount,
      currency: draft.total.gross.currency,
    },
  };
  const made = await visit.ask<Confirmed>({
    method: 'POST',
    path: `${path}/confirm`,
    body,
    idempotencyKey: requestKey(form.get('key'), body),
  });
  if (made.ok || isUnderWay(made.code)) return { redirect: `${visit.base}/pay/${draft.draftId}` };
  if (made.code === 'PRICE_CHANGED') {
    return bookPage(visit, { draft, form: typed, wrong: [], formKey: newFormKey(), priceChanged: true });
  }
  if (made.code === 'RAIL_NOT_OFFERED') {
    const rail: Wrong[] = [{ field: 'rail', key: 'book.error_rail' }];
    return bookPage(visit, { draft, form: typed, wrong: rail, formKey: newFormKey(), priceChanged: false });
  }
  return troublePage(visit, troubleOf(made), nextSteps(visit, draft));
}

/** It is being booked already, or nobody knows yet: the waiting page finds out. */
function isUnderWay(code: string): boolean {
  return ['CONFIRM_IN_PROGRESS', 'IDEMPOTENCY_IN_PROGRESS', 'COMMIT_UNKNOWN', 'PAYMENT_UNKNOWN'].includes(
    code,
  );
}

function guestForm(form: Fields): GuestForm {
  // Control characters cannot be typed; they come with what is pasted, and neither SMS nor print can take them.
  const line = (name: string) =>
    form
      .get(name)
      .replace(/\p{Cc}+/gu, ' ')
      .trim();
  return {
    name: line('name'),
    phone: line('phone'),
    email: line('email'),
    requests: form
      .get('requests')
      .replace(/[^\P{Cc}\n]+/gu, ' ')
      .trim(),
    rail: line('rail'),
  };
}

function checked(form: GuestForm, { draft, country }: { draft: Draft; country: string }) {
  const phone = phoneOf(form.phone, country);
  const wrong: Wrong[] = [];
  if (form.name === '' || form.name.length > 200) wrong.push({ field: 'name', key: 'book.error_name' });
  if (phone === undefined) wrong.push({ field: 'phone', key: 'book.error_phone' });
  if (form.email !== '' && !/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(form.email)) {
    wrong.push({ field: 'email', key: 'book.error_email' });
  }
  if (form.requests.length > 500) wrong.push({ field: 'requests', key: 'book.error_requests' });
  if (!draft.payChoices.some(({ rail }) => rail === form.rail))
    wrong.push({ field: 'rail', key: 'book.error_rail' });
  return { wrong, phone };
}

async function outcomeOf(visit: Visit, draftId: string, { returned }: { returned: boolean }) {
  const query = returned ? '?returned=1' : '';
  return visit.ask<Outcome>({ method: 'GET', path: `/drafts/${draftId}/outcome${query}` });
}

const hasReturned = (query: Fields) => ({ returned: query.get('returned') === '1' });

async function pay(visit: Visit, { params, query }: PageRequest): Promise<Reply> {
  const draftId = params.draftId ?? '';
  const back = hasReturned(query);
  const found = await outcomeOf(visit, draftId, back);
  if (!found.ok) return troublePage(visit, troubleOf(found), nextSteps(visit));
  const outcome = found.body;
  if (outcome.state === 'confirmed' && outcome.reservationId !== null) {
    return { redirect: `${visit.base}/booking/${outcome.reservationId}` };
  }
  if (outcome.state === 'failed' || outcome.state === 'expired') return failed(visit, outcome);
  const page = waitPage(visit, { outcome, zone: visit.hotel.zone, ...back });
  return { ...page, cookies: [returnCookie(`${visit.base}/pay/${draftId}`)] };
}

/** A booking that did not come about: why, and with its dates kept where to go on. */
async function failed(visit: Visit, outcome: Outcome): Promise<Reply> {
  const kind = outcome.failure ?? (outcome.state === 'expired' ? 'HOLD_EXPIRED' : 'UPSTREAM_ERROR');
  const draft = await visit.ask<Draft>({ method: 'GET', path: `/drafts/${outcome.draftId}` });
  return troublePage(visit, kind, nextSteps(visit, draft.ok ? draft.body : undefined));
}

/** What the waiting page's script asks for; `next` is where to go when it is decided. */
async function state(visit: Visit, { params, query }: PageRequest): Promise<Reply> {
  const draftId = params.draftId ?? '';
  const found = await outcomeOf(visit, draftId, hasReturned(query));
  if (!found.ok) return { json: { state: 'unknown', next: null, pay: null, pollMs: 5_000 } };
  const { state: now, redirectUrl, nextPollMs } = found.body;
  const decided = now === 'confirmed' || now === 'failed' || now === 'expired';
  const next = decided ? `${visit.base}/pay/${draftId}` : null;
  return { json: { state: now, next, pay: redirectUrl, pollMs: nextPollMs ?? 3_000 } };
}

async function confirmation(visit: Visit, { params }: PageRequest): Promise<Reply> {
  const found = await visit.ask<Booking>({ method: 'GET', path: `/confirmations/${params.reservationId}` });
  if (!found.ok) return troublePage(visit, troubleOf(found), nextSteps(visit));
  return confirmationPage(visit, found.body);
}
