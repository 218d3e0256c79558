import { isCurrencyCode } from '@ghasi/domain-primitives/currencies';
import type { Id, TenantId } from '@ghasi/domain-primitives/ids';
import type { Prefix } from '@ghasi/domain-primitives/naming';
import { z } from 'zod';

/** Id text of one prefix, e.g. `usr_01J8…`; anything else is refused at the edge. */
export function idText<P extends Prefix>(prefix: P): z.ZodType<Id<P>, string> {
  const shape = z.string().regex(new RegExp(`^${prefix}_[0-7][0-9A-HJKMNP-TV-Z]{25}$`));
  return shape as unknown as z.ZodType<Id<P>, string>;
}

/** A tenant: a bare lower-case uuid. */
export const tenantIdText = z
  .string()
  .regex(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/) as unknown as z.ZodType<
  TenantId,
  string
>;

/** Money as JSON: minor units as decimal text, never a number. May be negative (a refund, a correction). */
export const money = z.strictObject({
  amount: z.string().regex(/^(0|-?[1-9][0-9]{0,17})$/),
  currency: z
    .string()
    .regex(/^[A-Z]{3}$/)
    .refine(isCurrencyCode, 'is no currency'),
});

/** Money that is not negative: a price, a charge, a capture. */
export const price = money.refine(({ amount }) => !amount.startsWith('-'), 'is negative');

/** A hotel day, `2026-03-21`; it has no zone. */
export const localDate = z.iso.date();

/** A moment in UTC, `2026-03-21T09:30:00.000Z`. */
export const instant = z.iso.datetime();

/** A stay of at least one night: half-open `[arrival, departure)`. */
export const stay = z
  .strictObject({ arrival: localDate, departure: localDate })
  .refine(({ arrival, departure }) => arrival < departure, 'departs before it has slept a night');

/** One line of text as people write it: no control characters, which neither PostgreSQL nor a log line can take. */
export const line = (most: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(most)
    .regex(/^[^\p{Cc}\p{Cs}]*$/u, 'one line of text');

/** The same with line ends. */
export const paragraphs = (most: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(most)
    .regex(/^(?:[^\p{Cc}\p{Cs}]|\n)*$/u, 'text without control characters');

/** What a change was based on; 0 for something that is not there yet. */
export const baseVersion = z.int().min(0).max(2_147_483_646);
/** A row's version: what a change was based on. */
export const version = baseVersion.min(1);
