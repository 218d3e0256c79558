import { type Html, html } from '../html.ts';
import type { TextKey } from '../messages/text-keys.ts';
import { pageModules } from '../route-scripts.ts';
import type { Page, Scene } from '../visit.ts';
import { banner, icon } from './parts.ts';

/** What can go wrong in front of a guest. Each has a title, a text and a next step. */
export const troubleKinds = [
  'unknown_hotel',
  'suspended',
  'not_found',
  'ROOMS_GONE',
  'QUOTE_EXPIRED',
  'HOLD_EXPIRED',
  'PAYMENT_DECLINED',
  'PAYMENT_UNKNOWN',
  'CANCELLED',
  'UPSTREAM_ERROR',
  'RATE_LIMITED',
  'HANDOFF_REFUSED',
  'HANDOFF_EXPIRED',
  'HANDOFF_USED',
  'returned',
] as const;
export type TroubleKind = (typeof troubleKinds)[number];

/** Where the guest goes on. */
export type NextStep = { href: string; key: TextKey };

const statuses: Readonly<Record<TroubleKind, number>> = {
  unknown_hotel: 404,
  suspended: 403,
  not_found: 404,
  ROOMS_GONE: 409,
  QUOTE_EXPIRED: 410,
  HOLD_EXPIRED: 410,
  PAYMENT_DECLINED: 402,
  PAYMENT_UNKNOWN: 200,
  CANCELLED: 410,
  UPSTREAM_ERROR: 503,
  RATE_LIMITED: 429,
  HANDOFF_REFUSED: 403,
  HANDOFF_EXPIRED: 410,
  HANDOFF_USED: 409,
  returned: 200,
};

// What the BFF and the host say, as guests understand it.
const kindsByCode: Readonly<Record<string, TroubleKind>> = {
  DRAFT_EXPIRED: 'QUOTE_EXPIRED',
  PRICE_CHANGED: 'QUOTE_EXPIRED',
  RESTRICTION: 'ROOMS_GONE',
  TENANT_NOT_ACTIVE: 'suspended',
  TENANT_UNKNOWN: 'unknown_hotel',
};

/** The trouble behind a refusal of the BFF. */
export function troubleOf({ code, status }: { code: string; status: number }): TroubleKind {
  const own = troubleKinds.find(kind => kind === code);
  const kind = own ?? kindsByCode[code];
  if (kind !== undefined) return kind;
  if (status === 404 || status === 401 || status === 403 || status === 400) return 'not_found';
  return status === 429 ? 'RATE_LIMITED' : 'UPSTREAM_ERROR';
}

/** A page that says what happened, that nothing is lost, and what to do now. */
export function troublePage(scene: Scene, kind: TroubleKind, next: readonly NextStep[]): Page {
  const { speech } = scene;
  const title = speech.say(`trouble.${kind}`);
  return {
    title,
    status: statuses[kind],
    main: html`<div class="narrow page"><div class="card words center trouble">${banner(scene.hotel, 'tea')}<p class="ticket-mark">${icon('warn')}</p><h1>${title}</h1><p>${speech.say(`trouble.${kind}_text`)}</p>${steps(scene, next)}</div></div>`,
  };
}

function steps({ speech }: Scene, next: readonly NextStep[]): Html | false {
  if (next.length === 0) return false;
  return html`<p class="actions">${next.map(({ href, key }, at) => html`<a class="${at === 0 ? 'button primary' : 'button'}" href="${href}">${speech.say(key)}</a>`)}</p>`;
}

/** What a browser without a line shows: the saved bookings, and the way back. Kept by the service worker. */
export function offlinePage(scene: Scene): Page {
  const { speech } = scene;
  return {
    title: speech.say('trouble.offline'),
    scripts: pageModules.confirmation,
    main: html`<div class="narrow page"><div class="card words center trouble"><p class="ticket-mark">${icon('warn')}</p><h1>${speech.say('trouble.offline')}</h1><p>${speech.say('trouble.offline_text')}</p><p class="actions"><button class="primary" type="button" data-retry>${speech.say('trouble.try_again')}</button></p></div>
<section class="card words" aria-labelledby="saved"><h2 id="saved">${speech.say('trouble.offline_saved')}</h2><ul class="saved" data-saved-list></ul><p data-saved-none>${speech.say('trouble.offline_none')}</p></section></div>`,
  };
}
