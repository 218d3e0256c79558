import { defineQuestion } from '@ghasi/backbone/question';
import { rail, taxedPrice } from '@melmastoon/catalog/hotel-parts';
import { idText, localDate, money, price, stay, tenantIdText } from '@melmastoon/catalog/parts';
import { z } from 'zod';
import { boards, guarantees } from '../contract.ts';
import { quoteView, refusal } from './questions.ts';
import { localised } from './resources.ts';

/** What a stay on a plan would cost, with the terms that go with it. */
export const pricedOffer = z.strictObject({
  total: taxedPrice,
  nights: z.array(z.strictObject({ date: localDate, gross: price })).min(1),
  charges: quoteView.shape.charges,
  rails: quoteView.shape.rails,
  cancellation: quoteView.shape.cancellation,
  freeUntil: z.iso.datetime().nullable(),
  zone: z.string(),
});

/** A room type on a plan: a price, or everything that is in its way. */
export const planOffer = z.strictObject({
  roomTypeId: idText('rty'),
  ratePlanId: idText('rpl'),
  name: localised,
  board: z.enum(boards),
  refundable: z.boolean(),
  outcome: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('priced'), offer: pricedOffer }),
    z.strictObject({ kind: z.literal('refused'), refusals: z.array(refusal).min(1) }),
  ]),
});
export type PlanOffer = z.output<typeof planOffer>;

/**
 * What a stay costs on every plan that is on sale, by the rules of a quote, but nothing is kept or promised: it is for
 * the list the guest chooses from. All rooms are of one type and plan. Null: no such house.
 */
export const offersOf = defineQuestion({
  name: 'pricing.offers',
  input: z.strictObject({
    tenantId: tenantIdText,
    propertyId: idText('pro'),
    stay,
    rooms: z
      .array(z.strictObject({ adults: z.int().min(1).max(30), children: z.int().min(0).max(30) }))
      .min(1)
      .max(9),
  }),
  output: z.strictObject({ offers: z.array(planOffer) }).nullable(),
});

/** The plans of a house that are on sale, and how each can be paid. */
export const plansOnSale = defineQuestion({
  name: 'pricing.plans-on-sale',
  input: z.strictObject({ tenantId: tenantIdText, propertyId: idText('pro') }),
  output: z.strictObject({
    plans: z.array(
      z.strictObject({
        ratePlanId: idText('rpl'),
        name: localised,
        guarantee: z.enum(guarantees),
        rails: z.array(rail),
      }),
    ),
  }),
});

/**
 * What other dates would cost a booking, by the rules that a real change follows; nothing is kept. Null: no such quote.
 */
export const dateChangePreview = defineQuestion({
  name: 'pricing.date-change-preview',
  input: z.strictObject({
    tenantId: tenantIdText,
    quoteId: idText('quo'),
    rooms: z
      .array(
        z.strictObject({
          bookedRoomId: idText('brm'),
          roomTypeId: idText('rty'),
          ratePlanId: idText('rpl'),
          adults: z.int().min(1).max(30),
          children: z.int().min(0).max(30),
        }),
      )
      .min(1)
      .max(50),
    newStay: stay,
  }),
  output: z
    .strictObject({
      previousTotal: taxedPrice,
      newTotal: taxedPrice,
      /** For the change itself. */
      fee: price,
      /** New total and fee less what was promised; negative: goes back. */
      delta: money,
    })
    .nullable(),
});
