import { html } from '../html.ts';
import { pageModules } from '../route-scripts.ts';
import type { Outcome } from '../views.ts';
import type { Page, Visit } from '../visit.ts';
import { banner } from './parts.ts';

type Waiting = {
  outcome: Outcome;
  zone: string;
  /** The guest has been on the provider's page: the provider is asked, not his address bar (R24). */
  returned: boolean;
};

/** The page between booking and confirmation: the way to pay, or patience. */
export function waitPage(visit: Visit, { outcome, zone, returned }: Waiting): Page {
  const { speech, base } = visit;
  const paying = outcome.state === 'paying' && outcome.redirectUrl !== null;
  const title = speech.say(titleOf(outcome, paying));
  const here = `${base}/pay/${outcome.draftId}`;
  const back = returned ? '?returned=1' : '';
  return {
    title,
    scripts: pageModules.waiting,
    refreshSeconds: Math.max(3, Math.ceil((outcome.nextPollMs ?? 3_000) / 1_000)),
    step: 3,
    main: html`<div class="narrow page"><div class="card words center" data-wait="${here}/state${back}" data-poll="${outcome.nextPollMs ?? 3_000}" data-state="${outcome.state}" data-pay="${paying ? (outcome.redirectUrl ?? '') : ''}">
${banner(visit.hotel, 'courtyard')}<h1>${title}</h1>
${paying ? html`<p>${speech.say('wait.paying_text')}</p><p class="actions"><a class="button primary" href="${outcome.redirectUrl ?? ''}" rel="noreferrer">${speech.say('wait.pay')}</a></p>` : html`<div class="turning" aria-hidden="true"></div><p>${speech.say(outcome.failure === 'PAYMENT_UNKNOWN' ? 'trouble.PAYMENT_UNKNOWN_text' : 'wait.confirming_text')}</p>`}
${outcome.expiresAt !== null && html`<p class="small">${speech.say('wait.held_until', { deadline: speech.deadline(outcome.expiresAt, zone) })}</p>`}
${outcome.code !== null && html`<p>${speech.say('wait.code', { code: `\u2066${outcome.code}\u2069` })}</p>`}
<p class="small" role="status" data-offline hidden>${speech.say('wait.offline')}</p>
<p class="actions"><a class="button" href="${here}${back}">${speech.say('wait.again')}</a></p>
</div></div>`,
  };
}

function titleOf({ failure }: Outcome, paying: boolean) {
  if (failure === 'PAYMENT_UNKNOWN') return 'trouble.PAYMENT_UNKNOWN' as const;
  return paying ? ('wait.paying_title' as const) : ('wait.confirming_title' as const);
}
