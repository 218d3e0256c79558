import { type Html, html, trusted } from '../html.ts';
import { directionOf, languageNames } from '../messages/catalogue.ts';
import type { Locale } from '../messages/text-keys.ts';
import { letters, themeStyle } from '../theme.ts';
import type { Page, Scene } from '../visit.ts';
import { blocks, icon } from './parts.ts';

/** A page inside the frame of the hotel's site. */
export function document(scene: Scene, page: Page): string {
  const { speech, hotel, assets } = scene;
  const scripts = ['offline', ...(page.scripts ?? [])];
  const modules = new Set(scripts.flatMap(name => assets.modules(name)));
  const title = hotel === undefined ? page.title : `${page.title} · ${hotel.tenant.name}`;
  return `<!doctype html>${html`<html lang="${speech.locale}" dir="${speech.direction}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<title>${title}</title>
<meta name="theme-color" content="${hotel?.theme.tokens.find(each => each.name === 'colour.primary')?.value ?? '#1f6f5c'}">
${page.refreshSeconds !== undefined && html`<noscript><meta http-equiv="refresh" content="${page.refreshSeconds}"></noscript>`}
<link rel="icon" href="${assets.url('icon')}" type="image/svg+xml">
<link rel="stylesheet" href="${assets.url('site')}">
${speech.direction === 'rtl' && letters(assets.url('vazirmatn'), scene.nonce)}
${hotel !== undefined && themeStyle(hotel.theme.tokens, scene.nonce)}
${[...modules].map(name => html`<link rel="modulepreload" href="${assets.url(name)}">`)}
${scripts.map(name => html`<script type="module" src="${assets.url(name)}"></script>`)}
</head>
<body data-root="${scene.root}/" data-base="${scene.base}">
<a class="skip" href="#main">${speech.say('site.skip')}</a>
${header(scene)}
${page.step !== undefined && steps(scene, page.step)}
<main id="main" tabindex="-1">
${page.main}
</main>
${footer(scene)}
</body>
</html>`}`;
}

function header(scene: Scene): Html {
  const { speech, hotel, base } = scene;
  if (hotel === undefined)
    return html`<header class="top"><div class="wide top-row"><span class="brand">${icon('house')}</span></div></header>`;
  return html`<header class="top"><div class="wide top-row">
<a class="brand" href="${base}">${icon('house')}<span>${hotel.properties[0]?.name ?? hotel.tenant.name}</span></a>
<nav class="languages" aria-label="${speech.say('site.language')}">${hotel.locales.map(each => language(scene, each))}</nav>
${hotel.features.manage && html`<a class="top-link" href="${base}/manage">${icon('key')}<span>${speech.say('site.manage')}</span></a>`}
</div></header>`;
}

function language(scene: Scene, locale: Locale): Html {
  const name = languageNames[locale];
  const direction = directionOf(locale);
  if (locale === scene.speech.locale) {
    return html`<span class="language" lang="${locale}" dir="${direction}" aria-current="true">${name}</span>`;
  }
  const there = `${scene.root}/${locale}${scene.here}`;
  return html`<a class="language" href="${there}" lang="${locale}" dir="${direction}" hreflang="${locale}">${name}</a>`;
}

/** Where the guest is on his way. */
function steps({ speech }: Scene, current: number): Html {
  const names = ['step.dates', 'step.room', 'step.details', 'step.done'] as const;
  return html`<nav class="steps wide" aria-label="${speech.say('site.steps')}"><ol>${names.map((name, at) => {
    const text = html`<span class="step-number">${speech.number(at + 1)}</span><span class="step-name">${speech.say(name)}</span>`;
    return at + 1 === current
      ? html`<li class="now" aria-current="step">${text}</li>`
      : html`<li class="${at + 1 < current ? 'past' : 'next'}">${text}</li>`;
  })}</ol></nav>`;
}

function footer(scene: Scene): Html {
  const { speech, hotel } = scene;
  if (hotel === undefined) return trusted('');
  return html`<footer class="foot"><div class="wide foot-row">
<div>${hotel.properties.map(
    house =>
      html`<p class="foot-house"><strong>${house.name}</strong><br>${house.city}<br>${speech.say('site.check_times', { from: speech.number(house.checkInFrom), until: speech.number(house.checkOutUntil) })}</p>`,
  )}</div>
<div>${blocks(hotel, 'footer')}</div>
</div></footer>`;
}
