/** Markup that is safe to send: made by `html`, `flag` or `trusted` only. */
export class Html {
  readonly #text: string;
  /** Where it may stand: between tags, or among the attributes of one. */
  readonly place: 'text' | 'tag';

  constructor(text: string, place: 'text' | 'tag' = 'text') {
    this.#text = text;
    this.place = place;
  }

  toString(): string {
    return this.#text;
  }
}

/** What a template takes; nothing, null and false print nothing. */
export type Printable = Html | string | number | bigint | null | undefined | false | readonly Printable[];

/** `begins`: nothing constant stands before the value in its attribute, so the value decides what an address is. */
type Place = { kind: 'text' | 'tag' } | { kind: 'attribute'; name: string; begins: boolean };

/** Markup whose values are escaped for the place they stand in; a place where that cannot be done safely throws. */
export function html(strings: TemplateStringsArray, ...values: Printable[]): Html {
  const places = placesOf(strings);
  let out = strings[0] ?? '';
  for (const [at, value] of values.entries()) {
    out += print(value, places[at] as Place) + strings[at + 1];
  }
  return new Html(out);
}

/** An attribute without a value, such as `checked`, or nothing. */
export function flag(name: string, on: boolean): Html {
  if (!/^[a-z-]+$/.test(name) || name.startsWith('on')) throw new TypeError(`${name} is no flag`);
  return new Html(on ? name : '', 'tag');
}

/** Text that is markup already. For constants of this repository and checked forms only, never for data. */
export function trusted(text: string): Html {
  return new Html(text);
}

/** The five characters that can end a text or an attribute, as entities. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, found => entities[found as keyof typeof entities]);
}

const entities = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' } as const;

function print(value: Printable, place: Place): string {
  if (value === null || value === undefined || value === false) return '';
  if (value instanceof Html) {
    if (value.place !== place.kind) throw new TypeError(`markup for ${value.place} stands in ${place.kind}`);
    return value.toString();
  }
  if (Array.isArray(value)) return value.map(each => print(each as Printable, place)).join('');
  if (place.kind === 'tag') throw new TypeError('a value among attributes needs a name and quotes');
  const text = String(value);
  if (place.kind === 'attribute' && place.begins && addresses.has(place.name) && !isHarmlessAddress(text)) {
    return '#';
  }
  return escapeHtml(text);
}

const addresses = new Set(['href', 'src', 'action', 'formaction', 'srcset', 'poster', 'data-href']);

/** Our own paths, pages of others over HTTP, and telephones; never `javascript:` and its cousins. */
function isHarmlessAddress(text: string): boolean {
  return /^(?:\/(?![/\\])|[?#]|https?:\/\/|tel:|mailto:)/.test(text) && !/[\p{Cc}]/u.test(text);
}

const known = new WeakMap<TemplateStringsArray, Place[]>();

/** Walks the constant parts of a template once and remembers where each value stands. */
function placesOf(strings: TemplateStringsArray): Place[] {
  const before = known.get(strings);
  if (before !== undefined) return before;
  const places: Place[] = [];
  let inTag = false;
  let quoted: string | undefined; // the attribute whose double quotes are open
  let tag = '';
  let begins = false;
  for (const part of strings.slice(0, -1)) {
    let valueFrom = 0; // where in this part the open attribute's value starts
    for (const { 0: token, index } of part.matchAll(/<\/?[a-z][a-z0-9-]*|[a-z-]+="|"|>|<|'|=/gi)) {
      if (quoted !== undefined) {
        if (token === '"' || token.endsWith('="')) quoted = undefined;
      } else if (!inTag && token.startsWith('<')) {
        if (token === '<') throw new TypeError('a bare < or a comment in a template');
        inTag = true;
        tag = token.slice(1).toLowerCase();
      } else if (inTag && token === '>') {
        inTag = false;
      } else if (inTag && token.endsWith('="')) {
        quoted = token.slice(0, -2).toLowerCase();
        valueFrom = index + token.length;
        begins = true;
      } else if (inTag && (token === "'" || token === '=')) {
        throw new TypeError('attributes have double quotes');
      }
    }
    if (quoted !== undefined && (quoted.startsWith('on') || quoted === 'style' || quoted === 'srcdoc')) {
      throw new TypeError(`no value may stand in ${quoted}`);
    }
    if (!inTag && (tag === 'script' || tag === 'style'))
      throw new TypeError(`no value may stand in <${tag}>`);
    if (valueFrom < part.length) begins = false;
    places.push(
      quoted !== undefined ? { kind: 'attribute', name: quoted, begins } : { kind: inTag ? 'tag' : 'text' },
    );
  }
  known.set(strings, places);
  return places;
}
