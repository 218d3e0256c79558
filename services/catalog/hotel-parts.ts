import { isCurrencyCode } from '@ghasi/domain-primitives/currencies';
import { z } from 'zod';
import { instant, localDate, price } from './parts.ts';
import { sameSum } from './same-sum.ts';

/** Languages the product speaks. */
export const locale = z.enum(['en', 'ps', 'fa-AF']);

/** An active ISO 4217 currency. */
export const currency = z.string().refine(isCurrencyCode, 'is no currency');

/** How a guest pays; `cash_pending` is a promise to pay on arrival: no money has moved. */
export const rail = z.enum(['card', 'paypal', 'mobile_money', 'cash', 'cash_pending']);

/** How many there are of something. */
export const count = z.int().min(0);

/** A version of a record, from 1. */
export const version = z.int().min(1);

/** A name that programs read, `free_wifi`. */
export const code = z.string().regex(/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/);

/** SHA-256 as lower-case hex. */
export const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

/** The hour on the property's wall clock, `14:00`. */
export const wallTime = z.string().regex(/^([01][0-9]|2[0-3]):[0-5][0-9]$/);

/** Hotel days `[from, until)`: the last one is the day before `until`. */
export const days = z
  .strictObject({ from: localDate, until: localDate })
  .refine(({ from, until }) => from < until, 'ends before it starts');

/** When a key opens the door, `[validFrom, validUntil)`: check-in and check-out hour of the property as instants. */
export const keyWindow = z
  .strictObject({ validFrom: instant, validUntil: instant })
  .refine(({ validFrom, validUntil }) => Date.parse(validFrom) < Date.parse(validUntil), 'is never open');

/** What the guest pays and what is in it: net and tax make gross, in one currency (R20). */
export const taxedPrice = z
  .strictObject({ net: price, tax: price, gross: price })
  .refine(({ net, tax, gross }) => sameSum([net, tax], [gross]), 'net and tax do not make gross');

/** The price of one night, frozen when it was sold (R21); `taxes` are the parts of its tax, where they are known. */
export const nightPrice = z
  .strictObject({
    date: localDate,
    price: taxedPrice,
    taxes: z
      .array(z.strictObject({ code: z.string().min(1).max(40), amount: price }))
      .max(50)
      .optional(),
  })
  .refine(
    ({ price: { tax }, taxes }) =>
      taxes === undefined ||
      sameSum(
        taxes.map(({ amount }) => amount),
        [tax],
      ),
    'its taxes do not make its tax',
  );

/** A text for people, once in each language it exists in. */
export function localisedText(longest: number) {
  return z
    .array(z.strictObject({ locale, text: z.string().min(1).max(longest) }))
    .min(1)
    .refine(
      isOncePer((text: { locale: string }) => text.locale),
      'has a language twice',
    );
}

/** For `refine`: no two entries of a list have the same key. */
export function isOncePer<T>(keyOf: (entry: T) => string): (list: readonly T[]) => boolean {
  return list => new Set(list.map(keyOf)).size === list.length;
}

/** A text in up to three languages, each once. */
export const inLanguages = <T extends z.ZodType<string>>(text: T) =>
  z
    .array(z.strictObject({ locale, text }))
    .min(1)
    .max(3)
    .refine(
      isOncePer((each: { locale: string }) => each.locale),
      'has a language twice',
    );
