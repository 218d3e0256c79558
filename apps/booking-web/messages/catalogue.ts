import { en } from './en.ts';
import { enCheckout } from './en-checkout.ts';
import { faAf, faAfCheckout } from './fa-af.ts';
import { ps, psCheckout } from './ps.ts';
import type { Locale, TextKey } from './text-keys.ts';

/** All texts by language. */
export const catalogue: Readonly<Record<Locale, Readonly<Record<TextKey, string>>>> = {
  en: { ...en, ...enCheckout },
  ps: { ...ps, ...psCheckout },
  'fa-AF': { ...faAf, ...faAfCheckout },
};

/** Each language in its own name. */
export const languageNames: Readonly<Record<Locale, string>> = { en: 'English', ps: 'پښتو', 'fa-AF': 'دری' };

/** Which way a language is written. */
export function directionOf(locale: Locale): 'ltr' | 'rtl' {
  return locale === 'en' ? 'ltr' : 'rtl';
}

/** Puts values into the `{places}` of a text; a place without a value is a mistake of ours and throws. */
export function fill(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new TypeError(`the text "${text}" needs a value for ${name}`);
    return value;
  });
}
