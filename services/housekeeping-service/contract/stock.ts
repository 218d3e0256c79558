import { defineEvent } from '@melmastoon/catalog/define-event';
import { count, taxedPrice } from '@melmastoon/catalog/hotel-parts';
import { idText, instant, localDate, price } from '@melmastoon/catalog/parts';
import { isMultiple } from '@melmastoon/catalog/same-sum';
import { z } from 'zod';

/** Who pays for what was used. */
export const consumptionPayers = ['guest', 'house'] as const;

/** Why a stock lot ended. */
export const lotEndings = ['used_up', 'replaced', 'spoiled', 'returned'] as const;

const product = {
  productId: idText('prd'),
  /** As it stands on the bill. */
  productName: z.string().min(1).max(120),
};

/** Something of the minibar or the supplies was used: billing posts exactly one charge for it (GEN-22). */
export const ConsumptionCreated = defineEvent({
  subject: 'melmastoon.housekeeping.consumption.created.v1',
  summary: 'a consumption was recorded',
  retention: 'warm',
  payload: z
    .strictObject({
      consumptionId: idText('cns'),
      /** Made by the device, perhaps offline; with the operator it names the intent (IDEM-13). */
      clientConsumptionId: z.uuid(),
      propertyId: idText('pro'),
      roomId: idText('rom'),
      reservationId: idText('rsv').nullable(),
      serviceRoundId: idText('rnd').nullable(),
      ...product,
      purchaseId: idText('pur').nullable(),
      /** In units of the product. */
      quantity: count.min(1),
      /** What the guest sees on the list, tax and all. */
      unitPrice: price,
      total: taxedPrice,
      paidBy: z.enum(consumptionPayers),
      businessDate: localDate,
      consumedAt: instant,
      recordedBy: idText('usr'),
      /** Set on a correction: it takes that consumption back in full, with the same numbers. */
      reverses: idText('cns').nullable(),
    })
    .refine(({ paidBy, reservationId }) => paidBy === 'house' || reservationId !== null, 'no stay to charge')
    .refine(
      ({ unitPrice, quantity, total }) => isMultiple(unitPrice, quantity, total.gross),
      'the total is not quantity times unit price (R20)',
    ),
  aggregateId: p => p.consumptionId,
  idempotencyKey: p => `${p.recordedBy}:${p.clientConsumptionId}:created`,
});

/** A stock lot of a product is open; from now on consumptions are taken from it. */
export const PurchaseCreated = defineEvent({
  subject: 'melmastoon.housekeeping.purchase.created.v1',
  summary: 'a stock lot was opened',
  retention: 'warm',
  payload: z.strictObject({
    purchaseId: idText('pur'),
    clientPurchaseId: z.uuid(),
    propertyId: idText('pro'),
    ...product,
    quantity: count.min(1),
    /** Of the whole lot: the cost of one unit need not be a whole number. */
    cost: price,
    openedDate: localDate,
    expiresOn: localDate.nullable(),
    recordedBy: idText('usr'),
    /** The lot that ended with it, when one did (VAL-10). */
    replaces: idText('pur').nullable(),
  }),
  aggregateId: p => p.purchaseId,
  idempotencyKey: p => `${p.recordedBy}:${p.clientPurchaseId}:created`,
});

/** A stock lot is at its end; its remaining stock is zero. */
export const PurchaseFinished = defineEvent({
  subject: 'melmastoon.housekeeping.purchase.finished.v1',
  summary: 'a stock lot ended',
  retention: 'warm',
  payload: z.strictObject({
    purchaseId: idText('pur'),
    propertyId: idText('pro'),
    ...product,
    finishedDate: localDate,
    ending: z.enum(lotEndings),
    used: count,
    writtenOff: count,
    /** The lot that follows, when one was opened with it. */
    replacedBy: idText('pur').nullable(),
  }),
  aggregateId: p => p.purchaseId,
  idempotencyKey: p => `${p.purchaseId}:finished`,
});
