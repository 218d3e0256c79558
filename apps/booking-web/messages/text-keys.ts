import type { en } from './en.ts';
import type { enCheckout } from './en-checkout.ts';

/** The languages of the site. */
export const locales = ['en', 'ps', 'fa-AF'] as const;
export type Locale = (typeof locales)[number];

/** The texts of the search pages: every language has these keys. */
export type SearchTexts = Readonly<Record<keyof typeof en, string>>;

/** The texts from the details page on. */
export type CheckoutTexts = Readonly<Record<keyof typeof enCheckout, string>>;

/** Names a text. */
export type TextKey = keyof typeof en | keyof typeof enCheckout;
