import { defineQuestion } from '@ghasi/backbone/question';
import { currency } from '@melmastoon/catalog/hotel-parts';
import { idText, money, price, tenantIdText } from '@melmastoon/catalog/parts';
import { z } from 'zod';

/** What a folio comes to. `balance` and `depositsHeld` make what is `due`; below zero the house owes the guest. */
const sums = {
  folioId: idText('fol'),
  reservationId: idText('rsv'),
  status: z.enum(['open', 'closed']),
  currency,
  /** What was charged and not paid so far; nights to come are not in it. */
  balance: money,
  /** Paid ahead and not applied yet (R23). */
  depositsHeld: price,
  due: money,
};

/** What a board shows of a folio. */
export const folioFacts = z.strictObject({
  ...sums,
  charges: price,
  payments: price,
  refunds: price,
  splits: z.array(z.strictObject({ split: z.int(), payer: z.enum(['guest', 'company']), balance: money })),
  /** How many lines of each kind, and what they charge together. */
  lines: z.array(z.strictObject({ kind: z.string(), count: z.int(), amount: money })),
});
export type FolioFacts = z.output<typeof folioFacts>;

/** The folio of a reservation; null until its booking is confirmed. */
export const folioOf = defineQuestion({
  name: 'billing.folio-of',
  input: z.strictObject({ tenantId: tenantIdText, reservationId: idText('rsv') }),
  output: folioFacts.nullable(),
});

/** What the guests of a board owe; reservations without a folio are left out. */
export const balancesOf = defineQuestion({
  name: 'billing.balances-of',
  input: z.strictObject({ tenantId: tenantIdText, reservationIds: z.array(idText('rsv')).max(500) }),
  output: z.strictObject({ folios: z.array(z.strictObject(sums)) }),
});
