import type { tokenKinds } from '../contract.ts';

type Kind = (typeof tokenKinds)[number];

/** Every token a look consists of. A preset has all but the images; a theme may replace any. */
export const tokenVocabulary = {
  'colour.background': 'colour',
  'colour.surface': 'colour',
  'colour.text': 'colour',
  'colour.muted-text': 'colour',
  'colour.primary': 'colour',
  'colour.on-primary': 'colour',
  'colour.accent': 'colour',
  'colour.on-accent': 'colour',
  'colour.border': 'colour',
  'font.body': 'font',
  'font.heading': 'font',
  'size.text': 'size',
  'radius.card': 'radius',
  'radius.control': 'radius',
  'shadow.card': 'shadow',
  'image.logo': 'image',
  'image.cover': 'image',
  'image.icon': 'image',
} as const satisfies Record<string, Kind>;

export type TokenName = keyof typeof tokenVocabulary;

/** Every name. */
export const tokenNames = Object.keys(tokenVocabulary) as [TokenName, ...TokenName[]];

/** Without these a site cannot be drawn. */
export const requiredTokens = tokenNames.filter(name => tokenVocabulary[name] !== 'image');

/** Fonts that the booking site serves itself; each of them has Arabic letters with those of Pashto and Dari. */
export const fonts = [
  'Vazirmatn',
  'Noto Sans Arabic',
  'Noto Naskh Arabic',
  'Noto Nastaliq Urdu',
  'system-ui',
] as const;

// Values go into style sheets: each kind is a closed form, so that nothing but a value can be said.
const forms = {
  colour: /^#[0-9a-f]{6}$/,
  font: new RegExp(`^(?:${fonts.join('|')})$`),
  size: /^(?:1[2-9]|2[0-4])px$/,
  radius: /^(?:[0-9]|[1-4][0-9])px$/,
  shadow: /^(?:none|0 (?:[0-9]|[1-2][0-9])px (?:[0-9]|[1-5][0-9])px #[0-9a-f]{6}(?:[0-9a-f]{2})?)$/,
  image: /^fil_[0-7][0-9A-HJKMNP-TV-Z]{25}$/,
} as const satisfies Record<Kind, RegExp>;

/** Whether a value is one of its token's kind: `#1f6f5c`, `Vazirmatn`, `16px`, `0 2px 8px #00000026`, `fil_…`. */
export function fitsToken(name: TokenName, value: string): boolean {
  return forms[tokenVocabulary[name]].test(value);
}
