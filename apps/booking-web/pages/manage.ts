import { phoneExample } from '../forms.ts';
import { flag, type Html, html } from '../html.ts';
import type { TextKey } from '../messages/text-keys.ts';
import { pageModules } from '../route-scripts.ts';
import { nightsOf } from '../search.ts';
import type { Price, Speech } from '../speech.ts';
import type { Booking, Cancellation, DateChange } from '../views.ts';
import type { Page, Visit } from '../visit.ts';
import { textField } from './book.ts';
import { bookingFacts, isOver, searchAgain } from './confirmation.ts';
import { dateFields } from './date-fields.ts';
import { cancellationTerms, troubles, twoDates } from './parts.ts';
import { reasonWords } from './rooms.ts';

/** Opens a booking with its code and the phone number it was made with. */
export function openPage(
  visit: Visit,
  {
    code,
    phone,
    formKey,
    wrong,
  }: { code: string; phone: string; formKey: string; wrong: TextKey | undefined },
): Page {
  const { speech, hotel, base } = visit;
  const example = phoneExample(hotel.properties[0]?.country ?? 'AF');
  const text =
    wrong === undefined
      ? []
      : [
          wrong === 'book.error_phone'
            ? speech.say(wrong, { example: `\u2066${example}\u2069` })
            : speech.say(wrong),
        ];
  return {
    title: speech.say('manage.title'),
    status: wrong === undefined ? 200 : 422,
    main: html`<div class="narrow page"><h1>${speech.say('manage.title')}</h1>
${troubles(
  speech,
  'book.error_title',
  text.map(each => ({ text: each, field: wrong === 'book.error_phone' ? 'phone' : 'code' })),
)}
<form class="card fields" method="post" action="${base}/manage"><p>${speech.say('manage.intro')}</p>
<input type="hidden" name="key" value="${formKey}">
${textField({ name: 'code', label: speech.say('manage.code'), value: code, error: undefined, autocomplete: 'off', type: 'search' })}
${textField({ name: 'phone', label: speech.say('book.phone'), value: phone, error: undefined, autocomplete: 'tel', type: 'tel' })}
<button class="primary wide-button" type="submit">${speech.say('manage.open')}</button></form></div>`,
  };
}

/** The booking with everything its guest may still do. */
export function managePage(
  visit: Visit,
  { booking, said }: { booking: Booking; said: TextKey | undefined },
): Page {
  const { speech, base } = visit;
  const here = `${base}/manage/${booking.reservationId}`;
  const over = isOver(booking);
  return {
    title: speech.say('manage.title'),
    // Only to forget: looking at a booking on somebody else's phone leaves nothing there.
    scripts: over ? pageModules.confirmation : [],
    main: html`<div class="narrow page"><h1>${speech.say('manage.title')}</h1>
${said !== undefined && html`<p class="notice" role="status"><span>${speech.say(said)}</span>${said === 'manage.dates_asked' && html` <a href="${base}${visit.here}">${speech.say('wait.again')}</a>`}</p>`}
<article class="card ticket" data-saved-booking="${booking.code}" ${flag('data-over', over)}><p class="status">${speech.say('manage.status')}: <strong>${speech.say(`status.${booking.status}`)}</strong></p>
<div class="code-box"><p id="code-name">${speech.say('done.code')}</p><p class="code" dir="ltr">${booking.code}</p></div>
${!over && wanted(visit, booking)}
${bookingFacts(speech, booking)}
${!over && html`<h2>${speech.say('book.cancellation')}</h2>${cancellationTerms(speech, booking, booking.property.zone)}`}</article>
<p class="actions no-print">${booking.canChangeDates && html`<a class="button" href="${here}/dates">${speech.say('manage.change_dates')}</a>`}${booking.canCancel && html`<a class="button danger" href="${here}/cancel">${speech.say('manage.cancel')}</a>`}</p>
${!over && !booking.canCancel && !booking.canChangeDates && html`<p class="notice">${speech.say('manage.no_change')}</p>`}
${over && searchAgain(visit)}
</div>`,
  };
}

function wanted({ speech }: Visit, { wantedStay }: Booking): Html | false {
  if (wantedStay === null) return false;
  const stay = speech.say('stay.dates', {
    arrival: speech.plainDate(wantedStay.arrival),
    departure: speech.plainDate(wantedStay.departure),
  });
  return html`<p class="notice">${speech.say('done.wanted', { stay })}</p>`;
}

/** What cancelling costs, before it is done. */
export function cancelPage(
  visit: Visit,
  { preview, formKey }: { preview: Cancellation; formKey: string },
): Page {
  const { speech, base } = visit;
  const { booking, fee, refund, owed } = preview;
  const here = `${base}/manage/${booking.reservationId}`;
  return {
    title: speech.say('manage.cancel_title'),
    main: html`<div class="narrow page"><div class="card words"><h1>${speech.say('manage.cancel_title')}</h1>
<p>${booking.property.name}: ${twoDates(speech, booking.stay.arrival)}<span class="line">${speech.count('nights', nightsOf(booking.stay))}</span></p>
<ul class="terms"><li class="strong">${fee.amount === '0' ? speech.say('manage.cancel_free') : speech.say('manage.cancel_fee', { amount: speech.money(fee) })}</li>
${refund.amount !== '0' && html`<li>${speech.say('manage.cancel_refund', { amount: speech.money(refund) })}</li>`}
${owed.amount !== '0' && html`<li>${speech.say('manage.cancel_owed', { amount: speech.money(owed) })}</li>`}</ul>
<form method="post" action="${here}/cancel"><input type="hidden" name="key" value="${formKey}"><p class="actions"><button class="danger" type="submit">${speech.say('manage.cancel_submit')}</button><a class="button" href="${here}">${speech.say('manage.cancel_keep')}</a></p></form></div></div>`,
  };
}

type Dates = {
  booking: Booking;
  arrival: string;
  departure: string;
  today: string;
  wrong: readonly TextKey[];
  preview: DateChange | undefined;
  formKey: string;
};

/** Other dates: choose, see what they cost, take them. */
export function datesPage(visit: Visit, dates: Dates): Page {
  const { speech, hotel, base } = visit;
  const { booking, arrival, departure, today, wrong } = dates;
  const here = `${base}/manage/${booking.reservationId}`;
  return {
    title: speech.say('manage.change_dates'),
    status: wrong.length === 0 ? 200 : 422,
    scripts: pageModules.manage,
    main: html`<div class="narrow page"><h1>${speech.say('manage.change_dates')}</h1>
${troubles(
  speech,
  'search.error_title',
  wrong.map(key => ({ text: speech.say(key), field: 'arrival' })),
)}
<form class="card fields" method="get" action="${here}/dates"><input type="hidden" name="hotel" value="${booking.property.propertyId}">
${dateFields({ speech, arrival, departure, today, weekendDays: hotel.weekendDays, calendarUrl: `${base}/calendar`, currency: booking.total.gross.currency })}
<button class="button" type="submit">${speech.say('manage.check_dates')}</button></form>
${dates.preview !== undefined && offered(visit, dates, dates.preview)}
<p><a class="link" href="${here}">${speech.say('manage.back')}</a></p></div>`,
  };
}

function offered({ speech, base }: Visit, { booking, formKey }: Dates, preview: DateChange): Html {
  const { stay, newTotal, oldTotal } = preview;
  if (!preview.available || preview.refusals.length > 0) {
    return html`<div class="card words" role="status"><p class="strong">${speech.say('manage.dates_no')}</p><ul class="terms">${preview.refusals.map(each => html`<li>${reasonWords(speech, each)}</li>`)}</ul></div>`;
  }
  return html`<div class="card words" role="status"><p>${twoDates(speech, stay.arrival)} <span aria-hidden="true" class="to">→</span> ${twoDates(speech, stay.departure)}</p>
<p class="strong">${newTotal === null ? speech.say('manage.new_price_open') : speech.say('manage.new_price', { total: speech.money(newTotal), before: speech.money(oldTotal) })}</p>
${preview.fee !== null && preview.fee.amount !== '0' && html`<p>${speech.say('manage.change_fee', { amount: speech.money(preview.fee) })}</p>`}
${preview.difference !== null && preview.difference.amount !== '0' && html`<p>${differenceWords(speech, preview.difference)}</p>`}
<form method="post" action="${base}/manage/${booking.reservationId}/dates"><input type="hidden" name="key" value="${formKey}"><input type="hidden" name="arrival" value="${stay.arrival}"><input type="hidden" name="departure" value="${stay.departure}"><button class="primary" type="submit">${speech.say('manage.dates_submit')}</button></form></div>`;
}

/** What the change costs or gives back in all. */
function differenceWords(speech: Speech, { amount, currency }: Price): string {
  if (amount.startsWith('-')) {
    return speech.say('manage.change_back', { amount: speech.money({ amount: amount.slice(1), currency }) });
  }
  return speech.say('manage.change_more', { amount: speech.money({ amount, currency }) });
}
