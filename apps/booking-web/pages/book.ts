import { phoneExample } from '../forms.ts';
import { flag, type Html, html } from '../html.ts';
import type { TextKey } from '../messages/text-keys.ts';
import { pageModules } from '../route-scripts.ts';
import { propertyIn, searchQuery } from '../search.ts';
import type { Speech } from '../speech.ts';
import type { Draft, PayChoice } from '../views.ts';
import type { Page, Visit } from '../visit.ts';
import { blocks, breakdown, cancellationTerms, icon, partyText, troubles, twoDates } from './parts.ts';

/** What the guest typed; empty at first. */
export type GuestForm = { name: string; phone: string; email: string; requests: string; rail: string };

/** A field that is not right yet, and what to say about it. */
export type Wrong = { field: keyof GuestForm; key: TextKey };

type Details = {
  draft: Draft;
  form: GuestForm;
  wrong: readonly Wrong[];
  formKey: string;
  priceChanged: boolean;
};

/** Guest details and how to pay, on one page beside the stay and its price. */
export function bookPage(visit: Visit, { draft, form, wrong, formKey, priceChanged }: Details): Page {
  const { speech, hotel, base } = visit;
  const { country } = propertyIn(hotel, draft.propertyId);
  const example = phoneExample(country);
  const said = wrong.map(({ field, key }) => ({ field, text: sayWrong(speech, key, example) }));
  const errorOf = (field: keyof GuestForm) => said.find(each => each.field === field)?.text;
  return {
    title: speech.say('book.title'),
    status: wrong.length > 0 || priceChanged ? 422 : 200,
    scripts: pageModules.details,
    step: 3,
    main: html`<div class="wide page two">
<div class="main-column">
<h1>${speech.say('book.title')}</h1>
${priceChanged && html`<p class="notice" role="alert">${speech.say('book.price_changed')}</p>`}
${troubles(speech, 'book.error_title', said)}
<form method="post" action="${base}/book/${draft.draftId}" data-guest-details="${draft.draftId}" data-busy="${speech.say('book.submitting')}" novalidate>
<input type="hidden" name="key" value="${formKey}"><input type="hidden" name="seenTotal" value="${draft.total.gross.amount}">
<fieldset class="card fields"><legend><h2>${speech.say('book.details')}</h2></legend>
${textField({ name: 'name', label: speech.say('book.name'), value: form.name, error: errorOf('name'), autocomplete: 'name', type: 'text' })}
${textField({ name: 'phone', label: speech.say('book.phone'), value: form.phone, error: errorOf('phone'), autocomplete: 'tel', type: 'tel', hint: speech.say('book.phone_hint', { example: `\u2066${example}\u2069` }) })}
${textField({ name: 'email', label: speech.say('book.email'), value: form.email, error: errorOf('email'), autocomplete: 'email', type: 'email' })}
${requestsField(speech, form.requests, errorOf('requests'))}
<p class="small" data-with-script hidden>${speech.say('book.remembered')}</p>
</fieldset>
<fieldset class="pay" aria-describedby="${errorOf('rail') === undefined ? 'pay-words' : 'pay-words rail-error'}"><legend><h2>${speech.say('book.pay')}</h2></legend>
<div id="pay-words">${blocks(hotel, 'checkout', 'small')}</div>
${errorOf('rail') !== undefined && html`<p class="error" id="rail-error">${errorOf('rail')}</p>`}
<div class="choices">${draft.payChoices.map((choice, at) => payCard(speech, { choice, draft, chosen: form.rail === choice.rail, id: at === 0 ? 'rail' : `rail-${choice.rail}` }))}</div>
</fieldset>
<button class="primary wide-button" type="submit">${speech.say('book.submit')}</button>
</form>
</div>
${staySummary(visit, draft)}
</div>`,
  };
}

function sayWrong(speech: Speech, key: TextKey, example: string): string {
  if (key === 'book.error_phone') return speech.say(key, { example: `\u2066${example}\u2069` });
  return key === 'book.error_requests' ? speech.say(key, { n: 500 }) : speech.say(key);
}

type TextField = {
  name: string;
  label: string;
  value: string;
  error: string | undefined;
  autocomplete: string;
  type: string;
  hint?: string;
};

/** A labelled field with its hint and its error. */
export function textField({ name, label, value, error, autocomplete, type, hint }: TextField): Html {
  const described = [
    ...(hint === undefined ? [] : [`${name}-hint`]),
    ...(error === undefined ? [] : [`${name}-error`]),
  ];
  return html`<div class="field"><label for="${name}">${label}</label>
${error !== undefined && html`<p class="error" id="${name}-error">${error}</p>`}
<input id="${name}" name="${name}" type="${type}" value="${value}" autocomplete="${autocomplete}" maxlength="254" dir="${type === 'text' ? 'auto' : 'ltr'}" aria-invalid="${error === undefined ? 'false' : 'true'}" aria-describedby="${described.join(' ')}">
${hint !== undefined && html`<p class="small" id="${name}-hint">${hint}</p>`}</div>`;
}

function requestsField(speech: Speech, value: string, error: string | undefined): Html {
  return html`<div class="field"><label for="requests">${speech.say('book.requests')}</label>
${error !== undefined && html`<p class="error" id="requests-error">${error}</p>`}
<textarea id="requests" name="requests" rows="3" maxlength="500" dir="auto" aria-describedby="requests-hint">${value}</textarea>
<p class="small" id="requests-hint">${speech.say('book.requests_hint')}</p></div>`;
}

const railIcons = { card: 'card', mobile_money: 'phone', paypal: 'card', cash_pending: 'cash' } as const;

type PayCard = { choice: PayChoice; draft: Draft; chosen: boolean; id: string };

/** One way to pay: what is due now and what later, each with its deadline. */
function payCard(speech: Speech, { choice, draft, chosen, id }: PayCard): Html {
  const { rail, dueNow, dueLater, dueLaterBy, payWithinMs } = choice;
  return html`<div class="choice"><input type="radio" name="rail" value="${rail}" id="${id}" aria-describedby="${id}-words" ${flag('checked', chosen)}><label for="${id}">${icon(railIcons[rail])}<span>${speech.say(`rail.${rail}`)}</span></label>
<ul id="${id}-words"><li class="due">${dueNow.amount === '0' ? speech.say('pay.now_nothing') : speech.say('pay.now', { amount: speech.money(dueNow) })}</li>
${payWithinMs !== null && html`<li>${speech.say('pay.within', { minutes: Math.max(1, Math.floor(payWithinMs / 60_000)) })}</li>`}
<li>${dueLater.amount === '0' || dueLaterBy === null ? speech.say('pay.later_nothing') : speech.say('pay.later', { amount: speech.money(dueLater), deadline: speech.deadline(dueLaterBy, draft.zone) })}</li></ul></div>`;
}

function staySummary({ speech, base }: Visit, draft: Draft): Html {
  const search = { ...draft, arrival: draft.stay.arrival, departure: draft.stay.departure };
  return html`<aside class="summary card" aria-labelledby="summary"><h2 id="summary">${speech.say('book.your_stay')}</h2>
<p class="strong">${draft.propertyName}</p><p>${draft.roomTypeName}<br><span class="small">${speech.list(draft.planName, speech.say(`board.${draft.board}`))}</span></p>
<dl class="when"><div><dt>${speech.say('search.arrival')}</dt><dd>${twoDates(speech, draft.stay.arrival)}</dd></div><div><dt>${speech.say('search.departure')}</dt><dd>${twoDates(speech, draft.stay.departure)}</dd></div></dl>
<p>${speech.list(speech.count('nights', draft.nights.length), partyText(speech, draft))}</p>
${breakdown(speech, draft)}
<h3>${speech.say('book.cancellation')}</h3>
${cancellationTerms(speech, draft, draft.zone)}
<p class="notice">${icon('clock')}<span>${speech.say('book.kept', { deadline: speech.deadline(draft.expiresAt, draft.zone) })}</span></p>
<p><a class="link" href="${base}/rooms?${searchQuery(search)}">${speech.say('book.change_room')}</a></p></aside>`;
}
