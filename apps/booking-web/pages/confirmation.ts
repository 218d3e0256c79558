import { flag, type Html, html } from '../html.ts';
import { pageModules } from '../route-scripts.ts';
import { nightsOf } from '../search.ts';
import type { Speech } from '../speech.ts';
import type { Booking } from '../views.ts';
import type { Page, Visit } from '../visit.ts';
import { banner, blocks, cancellationTerms, icon, twoDates } from './parts.ts';

/** The page to show at the door: the code large, the stay, what is paid and what is not. */
export function confirmationPage(visit: Visit, booking: Booking): Page {
  const { speech, hotel, base } = visit;
  const title = speech.say(titleOf(booking));
  const held = !isOver(booking);
  return {
    title,
    scripts: pageModules.confirmation,
    step: 4,
    main: html`<div class="narrow page">
<article class="card ticket" data-saved-booking="${booking.code}" data-summary="${speech.list(booking.property.name, speech.plainDate(booking.stay.arrival))}" ${flag('data-over', !held)}>
${held && banner(hotel, 'courtyard')}<header class="ticket-head"><p class="ticket-mark">${held ? icon('check') : icon('warn')}</p><h1>${title}</h1><p>${speech.list(booking.property.name, booking.property.city)}</p></header>
<div class="code-box"><p id="code-name">${speech.say('done.code')}</p><p class="code" dir="ltr" aria-labelledby="code-name">${booking.code}</p>${held && html`<p class="small">${speech.say('done.show')}</p>`}</div>
${blocks(hotel, 'confirmation')}
${bookingFacts(speech, booking)}
${held && booking.keptUntil !== null && html`<p class="notice">${icon('clock')}<span>${speech.say('done.kept_until', { deadline: speech.deadline(booking.keptUntil, booking.property.zone) })}</span></p>`}
${held && booking.cancellation.length > 0 && html`<h2>${speech.say('book.cancellation')}</h2>${cancellationTerms(speech, booking, booking.property.zone)}`}
</article>
${
  held
    ? html`<p class="actions no-print"><button type="button" class="button" data-print hidden>${speech.say('done.print')}</button><a class="button" href="${base}/manage/${booking.reservationId}">${speech.say('done.manage')}</a></p>
<p class="small no-print" role="status" data-saved hidden>${speech.say('done.saved')}</p>`
    : searchAgain(visit)
}
</div>`,
  };
}

/** Whether nobody comes any more. */
export function isOver({ status }: Booking): boolean {
  return status === 'cancelled' || status === 'no_show';
}

/** What is left to do with a booking that is over. */
export function searchAgain({ speech, base }: Visit): Html {
  return html`<p class="actions no-print"><a class="button primary" href="${base}">${speech.say('trouble.search_again')}</a></p>`;
}

function titleOf({ status }: Booking) {
  if (status === 'cancelled' || status === 'no_show') return 'done.cancelled_title' as const;
  if (status === 'confirmed_cash_pending') return 'done.cash_title' as const;
  return status === 'draft' || status === 'held' ? ('done.pending_title' as const) : ('done.title' as const);
}

/** Guest, stay, rooms and money of a booking. */
export function bookingFacts(speech: Speech, booking: Booking): Html {
  const { stay, property, rooms } = booking;
  const rail = isRail(booking.rail) ? speech.say(`rail.${booking.rail}`) : undefined;
  return html`<dl class="facts-list">
<div><dt>${speech.say('done.guest')}</dt><dd><bdi>${booking.guestName}</bdi></dd></div>
<div><dt>${speech.say('search.arrival')}</dt><dd>${twoDates(speech, stay.arrival)}<span class="line small">${speech.say('done.arrive', { time: speech.number(property.checkInFrom) })}</span></dd></div>
<div><dt>${speech.say('search.departure')}</dt><dd>${twoDates(speech, stay.departure)}<span class="line small">${speech.say('done.leave', { time: speech.number(property.checkOutUntil) })}</span></dd></div>
<div><dt>${speech.say('done.room')}</dt><dd>${rooms.map(room => html`<span class="line">${room.name}</span>`)}<span class="small">${speech.count('nights', nightsOf(stay))}</span></dd></div>
<div><dt>${speech.say('done.total')}</dt><dd>${speech.money(booking.total.gross)}</dd></div>
${rail !== undefined && html`<div><dt>${speech.say('done.how')}</dt><dd>${rail}</dd></div>`}
<div><dt>${speech.say('done.paid')}</dt><dd>${speech.money(booking.paid)}</dd></div>
${!isOver(booking) && html`<div class="sum"><dt>${speech.say('done.outstanding')}</dt><dd>${speech.money(booking.outstanding)}</dd></div>`}
</dl>`;
}

const rails = ['card', 'mobile_money', 'paypal', 'cash_pending', 'cash'] as const;

function isRail(text: string): text is (typeof rails)[number] {
  return (rails as readonly string[]).includes(text);
}
