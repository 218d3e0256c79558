import type { BlockView, blockStatuses, SiteBlock, TokenValues } from './contract/resources.ts';
import { requiredTokens, type TokenName, tokenNames, tokenVocabulary } from './contract/tokens.ts';

type BlockStatus = (typeof blockStatuses)[number];
type Locale = SiteBlock['locale'];

/** Where a content block may go from where it is. */
export const nextBlockStatus = {
  published: ['published', 'withdrawn'],
  withdrawn: ['published'],
} as const satisfies Record<BlockStatus, readonly BlockStatus[]>;

/** More than any site shows; a limit so that one tenant's page stays one page. */
export const MOST_BLOCKS = 200;

/** The look of a site whose hotel never chose one. */
export const platformLook: TokenValues = [
  { name: 'colour.background', value: '#fbf8f3' },
  { name: 'colour.surface', value: '#ffffff' },
  { name: 'colour.text', value: '#22201d' },
  { name: 'colour.muted-text', value: '#5c564e' },
  { name: 'colour.primary', value: '#1f6f5c' },
  { name: 'colour.on-primary', value: '#ffffff' },
  { name: 'colour.accent', value: '#f2c14e' },
  { name: 'colour.on-accent', value: '#22201d' },
  { name: 'colour.border', value: '#d9d2c7' },
  { name: 'font.body', value: 'Vazirmatn' },
  { name: 'font.heading', value: 'Vazirmatn' },
  { name: 'size.text', value: '16px' },
  { name: 'radius.card', value: '12px' },
  { name: 'radius.control', value: '8px' },
  { name: 'shadow.card', value: '0 2px 8px #00000026' },
];

/** The tokens of a look with a brand's own in their place, in the order of the vocabulary. */
export function overlay(look: TokenValues, own: TokenValues): TokenValues {
  const values = new Map([...look, ...own].map(({ name, value }) => [name, value]));
  return tokenNames.flatMap(name => {
    const value = values.get(name);
    return value === undefined ? [] : [{ name, value }];
  });
}

/** Tokens with their kinds, as events and pages carry them. */
export function withKinds(tokens: TokenValues) {
  return tokens.map(({ name, value }) => ({ name, kind: tokenVocabulary[name], value }));
}

/** Names of what is new, different or gone. */
export function changedTokens(before: TokenValues, after: TokenValues): TokenName[] {
  const [old, now] = [before, after].map(list => new Map(list.map(({ name, value }) => [name, value])));
  return tokenNames.filter(name => old?.get(name) !== now?.get(name));
}

/** What a look lacks to be drawn. */
export function missingTokens(tokens: TokenValues): TokenName[] {
  return requiredTokens.filter(name => !tokens.some(one => one.name === name));
}

/** Two colours that lie on each other, and the least ratio at which people can tell them apart (WCAG 2.2, AA). */
export const contrastPairs = [
  { front: 'colour.text', back: 'colour.background', least: 4.5 },
  { front: 'colour.text', back: 'colour.surface', least: 4.5 },
  { front: 'colour.muted-text', back: 'colour.background', least: 4.5 },
  { front: 'colour.muted-text', back: 'colour.surface', least: 4.5 },
  { front: 'colour.on-primary', back: 'colour.primary', least: 4.5 },
  { front: 'colour.on-accent', back: 'colour.accent', least: 4.5 },
  // Buttons are no text: 1.4.11 asks for 3.
  { front: 'colour.primary', back: 'colour.background', least: 3 },
  { front: 'colour.primary', back: 'colour.surface', least: 3 },
] as const satisfies { front: TokenName; back: TokenName; least: number }[];

/** The pairs of a look that are too alike, with the ratio they have. Colours that are not there are not compared. */
export function contrastProblems(tokens: TokenValues) {
  const colourOf = (name: TokenName) => tokens.find(one => one.name === name)?.value;
  return contrastPairs.flatMap(({ front, back, least }) => {
    const [over, under] = [colourOf(front), colourOf(back)];
    if (over === undefined || under === undefined) return [];
    const ratio = contrast(over, under);
    return ratio < least ? [{ front, back, least, ratio }] : [];
  });
}

/** Contrast of two `#rrggbb` colours, 1 to 21 (WCAG 2.2). */
export function contrast(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

function luminance(colour: string): number {
  const channel = (at: number) => {
    const share = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5);
}

/** A text in the language asked for, else in English, else in the one it has. */
export function inLanguage(text: NonNullable<BlockView['text']>, asked: Locale) {
  const found = text.find(one => one.locale === asked) ?? text.find(one => one.locale === 'en') ?? text[0];
  if (found === undefined) throw new TypeError('a text without any language');
  return found;
}

/** What a page shows: in each place the property's own texts, and the tenant's where the property has none. */
export function siteBlocks(
  own: readonly BlockView[],
  general: readonly BlockView[],
  asked: Locale,
): SiteBlock[] {
  const places = new Set(own.map(({ placement }) => placement));
  const shown = [...own, ...general.filter(({ placement }) => !places.has(placement))];
  return shown
    .flatMap(({ id, placement, position, text }) =>
      text === null ? [] : [{ id, placement, position, ...inLanguage(text, asked) }],
    )
    .sort((a, b) => a.position - b.position || (a.id < b.id ? -1 : 1));
}
