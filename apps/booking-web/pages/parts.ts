import { ART_VERSION, type Scene as Drawing } from '../art/scenes.ts';
import { ASSET_PATH } from '../assets.ts';
import { type Html, html, trusted } from '../html.ts';
import type { TextKey } from '../messages/text-keys.ts';
import type { Speech } from '../speech.ts';
import { colourOf } from '../theme.ts';
import type { Booking, Hotel, Offer } from '../views.ts';

const icons = {
  house: 'M4 20V9l8-5 8 5v11h-6v-5a2 2 0 0 0-4 0v5z',
  key: 'M14 10a4 4 0 1 0-3.4 4L13 16.500h2V19h2.500v2H21v-3.500l-6.400-6.300A4 4 0 0 0 14 10zM9 10.500a1.200 1.200 0 1 1 0-2.400 1.200 1.200 0 0 1 0 2.400z',
  people:
    'M8 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6zm8 0a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM2 19c0-3.300 2.700-6 6-6s6 2.700 6 6zm13.500 0H22c0-3.300-2.700-6-6-6-.900 0-1.800.200-2.500.600a8 8 0 0 1 2 5.400z',
  area: 'M3 3h8v2H6.400l4 4L9 10.400l-4-4V11H3zm18 18h-8v-2h4.600l-4-4L15 13.600l4 4V13h2z',
  meal: 'M6 3v7a2 2 0 0 0 1.500 1.900V21h2v-9.100A2 2 0 0 0 11 10V3H9.800v6H9V3H8v6h-.800V3zm9 0c-1.500 1-2.500 3.500-2.500 6.500V13H15v8h2V3z',
  check: 'M9.500 17.500 4 12l1.600-1.600 3.900 3.900 9-9L20 7z',
  clock: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zm1 9.600-3.500 2.100-1-1.700L11 11.500V7h2z',
  card: 'M3 6h18v3H3zm0 5h18v7H3zm3 3v2h4v-2z',
  phone:
    'M8 2h8a1.500 1.500 0 0 1 1.500 1.500v17A1.500 1.500 0 0 1 16 22H8a1.500 1.500 0 0 1-1.500-1.500v-17A1.500 1.500 0 0 1 8 2zm.500 3v12h7V5zM12 18.300a1 1 0 1 0 0 2 1 1 0 0 0 0-2z',
  cash: 'M2 6h20v12H2zm10 9a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM5 8.500a2 2 0 0 1-1 1v5a2 2 0 0 1 1 1h14a2 2 0 0 1 1-1v-5a2 2 0 0 1-1-1z',
  warn: 'M12 3 1.500 21h21zm-1 7h2v5h-2zm0 6.500h2v2h-2z',
} as const;

/** A small drawing beside a word; it says nothing of its own. */
export function icon(name: keyof typeof icons): Html {
  return trusted(
    `<svg class="icon" viewBox="0 0 24 24" width="20" height="20" aria-hidden="true" focusable="false"><path fill="currentColor" d="${icons[name]}"/></svg>`,
  );
}

/** The address of a drawing in the colours of the hotel. */
export function drawing(hotel: Hotel, scene: Drawing): string {
  const primary = colourOf(hotel.theme.tokens, 'colour.primary', '#1f6f5c').slice(1);
  const accent = colourOf(hotel.theme.tokens, 'colour.accent', '#f2c14e').slice(1);
  return `${ASSET_PATH}art/${ART_VERSION}/${scene}-${primary}-${accent}.svg`;
}

/** A picture across the top of a card: also where something waits or went wrong, the guest is in somebody's house. */
export function banner(hotel: Hotel | undefined, scene: Drawing): Html | false {
  if (hotel === undefined) return false;
  return html`<img class="banner no-print" src="${drawing(hotel, scene)}" alt="" width="900" height="600">`;
}

/** The texts a hotel wrote for a place, one paragraph per line. */
export function blocks(
  hotel: Hotel,
  placement: Hotel['blocks'][number]['placement'],
  className = 'block',
): Html[] {
  return hotel.blocks
    .filter(block => block.placement === placement)
    .toSorted((left, right) => left.position - right.position)
    .flatMap(block =>
      block.text.split('\n').map(line => html`<p class="${className}" lang="${block.locale}">${line}</p>`),
    );
}

/** A date, and the same day in the other calendar for those who live by it. */
export function twoDates(speech: Speech, iso: string): Html {
  const other = speech.otherDate(iso);
  return html`<span class="date"><time datetime="${iso}">${speech.date(iso)}</time>${other !== undefined && html` <span class="other-date">${other}</span>`}</span>`;
}

/** "2 adults, 1 child, 1 room". */
export function partyText(
  speech: Speech,
  party: { adults: number; children: number; rooms: number },
): string {
  return speech.list(
    speech.count('adults', party.adults),
    ...(party.children > 0 ? [speech.count('children', party.children)] : []),
    speech.count('rooms', party.rooms),
  );
}

/** What is wrong, first thing on the page and read out; each line leads to its field. */
export function troubles(
  speech: Speech,
  title: TextKey,
  list: readonly { text: string; field?: string }[],
): Html {
  if (list.length === 0) return trusted('');
  return html`<div class="troubles" role="alert" tabindex="-1" id="troubles"><h2>${icon('warn')}${speech.say(title)}</h2><ul>${list.map(
    ({ text, field }) => html`<li>${field === undefined ? text : html`<a href="#${field}">${text}</a>`}</li>`,
  )}</ul></div>`;
}

type Priced = Pick<Offer, 'total' | 'charges'>;

/** Every part of a price, down to the total. */
export function breakdown(speech: Speech, { total, charges }: Priced): Html {
  return html`<dl class="sums"><div><dt>${speech.say('rooms.net')}</dt><dd>${speech.money(total.net)}</dd></div>${charges.map(
    charge =>
      html`<div><dt>${charge.mode === 'inclusive' ? speech.say('rooms.charge_inside', { name: charge.name }) : charge.name}</dt><dd>${speech.money(charge.amount)}</dd></div>`,
  )}<div class="sum"><dt>${speech.say('rooms.total')}</dt><dd>${speech.money(total.gross)}</dd></div></dl>`;
}

type Terms = Pick<Booking, 'cancellation'>;

/** What cancelling costs until when, on the clock of the house. */
export function cancellationTerms(speech: Speech, { cancellation }: Terms, zone: string): Html {
  return html`<ul class="terms">${cancellation.map(({ until, fee }) => {
    const free = fee.amount === '0';
    if (until === null) {
      const key = cancellation.length === 1 ? 'cancel.only_fee' : 'cancel.after_fee';
      return html`<li>${free ? speech.say('cancel.after_free') : speech.say(key, { fee: speech.money(fee) })}</li>`;
    }
    const deadline = speech.deadline(until, zone);
    return html`<li>${free ? speech.say('cancel.until_free', { deadline }) : speech.say('cancel.until_fee', { deadline, fee: speech.money(fee) })}</li>`;
  })}</ul>`;
}
