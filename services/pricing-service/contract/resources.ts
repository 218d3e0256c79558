import { locale, wallTime } from '@melmastoon/catalog/hotel-parts';
import { idText, line, localDate, money, price, version } from '@melmastoon/catalog/parts';
import { z } from 'zod';
import { boards, guarantees } from '../contract.ts';

const once = (values: readonly string[]) => new Set(values).size === values.length;

/** A name, once in each language it exists in. */
export const localised = z
  .array(z.strictObject({ locale, text: line(120) }))
  .min(1)
  .refine(texts => once(texts.map(text => text.locale)), 'has a language twice');

/** A price that staff types in: at most 11 digits of minor units, so that no stay can outgrow our money. */
export const rate = price.refine(({ amount }) => amount.length <= 11, 'is too large');

/** The same, up or down. */
const signedRate = money.refine(({ amount }) => amount.length <= 11, 'is too large');

/** Basis points: 1,250 is 12.5 %. */
const share = z.int().min(1).max(10_000);

/** How much a policy asks for: of the total, of the first nights, or a fixed sum; never more than the total. */
export const fee = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('none') }),
  z.strictObject({ kind: z.literal('percent'), basisPoints: share }),
  z.strictObject({ kind: z.literal('nights'), nights: z.int().min(1).max(365) }),
  z.strictObject({ kind: z.literal('amount'), amount: rate }),
]);
export type Fee = z.output<typeof fee>;

/** What a guest pays for cancelling, changing or leaving early. */
export const cancellationTerms = z.strictObject({
  /** Until so many hours before the check-in hour the step's fee holds; the one with most hours first. */
  steps: z
    .array(z.strictObject({ hoursBefore: z.int().min(0).max(8_760), fee }))
    .max(10)
    .refine(
      steps => steps.every((step, n) => n === 0 || step.hoursBefore < (steps[n - 1]?.hoursBefore ?? 0)),
      'steps come in falling order of hours',
    ),
  /** After the last step. */
  lateFee: fee,
  /** For moving a stay to other dates. */
  changeFee: fee,
  /** Of the nights given back by a guest who leaves early (R15). */
  earlyDepartureFee: fee,
});
export type CancellationTerms = z.output<typeof cancellationTerms>;

/** What a guest who did not come pays, and how long the house keeps the room (R17). */
export const noShowTerms = z.strictObject({
  fee,
  /** On the day after arrival, on the property's clock; null: free as soon as the day is closed. */
  keptUntil: wallTime.nullable(),
});
export type NoShowTerms = z.output<typeof noShowTerms>;

/** What is paid ahead. */
export const depositTerms = z.strictObject({ deposit: fee });
export type DepositTerms = z.output<typeof depositTerms>;

/** What a policy is about. */
export const policyKinds = ['cancellation', 'no_show', 'deposit'] as const;

const policy = { propertyId: idText('pro'), name: localised };

/** A policy as staff writes it. */
export const newPolicy = z.discriminatedUnion('kind', [
  z.strictObject({ ...policy, kind: z.literal('cancellation'), terms: cancellationTerms }),
  z.strictObject({ ...policy, kind: z.literal('no_show'), terms: noShowTerms }),
  z.strictObject({ ...policy, kind: z.literal('deposit'), terms: depositTerms }),
]);
export type NewPolicy = z.output<typeof newPolicy>;

const stored = { id: idText('pol'), version };

/** A policy as staff sees it. */
export const policyView = z.discriminatedUnion(
  'kind',
  newPolicy.options.map(option => option.extend(stored)) as unknown as [
    z.ZodObject<(typeof newPolicy)['options'][0]['shape'] & typeof stored, z.core.$strict>,
    z.ZodObject<(typeof newPolicy)['options'][1]['shape'] & typeof stored, z.core.$strict>,
    z.ZodObject<(typeof newPolicy)['options'][2]['shape'] & typeof stored, z.core.$strict>,
  ],
);
export type PolicyView = z.output<typeof policyView>;

/** How the price of a derived plan follows from the plan it is derived from. */
export const derivation = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('percent'),
    fromPlanId: idText('rpl'),
    basisPoints: z.int().min(-9_900).max(20_000),
  }),
  z.strictObject({ kind: z.literal('amount'), fromPlanId: idText('rpl'), amount: signedRate }),
]);
export type Derivation = z.output<typeof derivation>;

/** What guests beyond those in the price cost, for each night. */
export const extraGuests = z.strictObject({
  includedAdults: z.int().min(1).max(30),
  extraAdult: rate,
  includedChildren: z.int().min(0).max(30),
  extraChild: rate,
});
export type ExtraGuests = z.output<typeof extraGuests>;

/** A rate plan as staff writes it. */
export const planValues = z
  .strictObject({
    propertyId: idText('pro'),
    name: localised,
    roomTypeIds: z.array(idText('rty')).min(1).max(50).refine(once, 'names a room type twice'),
    board: z.enum(boards),
    guarantee: z.enum(guarantees),
    refundable: z.boolean(),
    policies: z.strictObject({
      cancellationPolicyId: idText('pol'),
      noShowPolicyId: idText('pol'),
      depositPolicyId: idText('pol').nullable(),
    }),
    /** Arrivals it is sold for, the last day included; null: no end. */
    sellFrom: localDate,
    sellUntil: localDate.nullable(),
    derivation: derivation.nullable(),
    extraGuests: extraGuests.nullable(),
  })
  .refine(({ sellFrom, sellUntil }) => sellUntil === null || sellFrom <= sellUntil, 'is never sold')
  .refine(
    ({ guarantee, policies }) => guarantee !== 'deposit' || policies.depositPolicyId !== null,
    'a deposit needs a deposit policy',
  );
export type PlanValues = z.output<typeof planValues>;

/** Life of a rate plan. */
export const planStatuses = ['draft', 'published', 'archived'] as const;
export type PlanStatus = (typeof planStatuses)[number];

/** A rate plan as staff sees it. */
export const planView = z.strictObject({
  ...planValues.shape,
  id: idText('rpl'),
  currency: z.string(),
  status: z.enum(planStatuses),
  version,
});
export type PlanView = z.output<typeof planView>;

/** When one may come, go and stay (R12). */
export const restrictions = z.strictObject({
  minNights: z.int().min(1).max(365),
  maxNights: z.int().min(1).max(1_100).nullable(),
  closedToArrival: z.boolean(),
  closedToDeparture: z.boolean(),
  closed: z.boolean(),
});
export type Restrictions = z.output<typeof restrictions>;

/** Most days of one calendar in one change; an event carries no more. */
export const MOST_DAYS = 800;

const daysBetweenTexts = (from: string, until: string) => (Date.parse(until) - Date.parse(from)) / 86_400_000;

const span = { from: localDate, until: localDate };
const isSpan = ({ from, until }: { from: string; until: string }) => {
  const count = daysBetweenTexts(from, until);
  return count >= 1 && count <= MOST_DAYS;
};

/** A change of prices or restrictions of `[from, until)`, on some weekdays only if named; what is left out stays. */
export const calendarChange = z
  .strictObject({
    ...span,
    roomTypeIds: z.array(idText('rty')).min(1).max(20).refine(once, 'names a room type twice'),
    /** ISO: 1 Monday to 7 Sunday; default all. */
    weekdays: z.array(z.int().min(1).max(7)).min(1).max(7).optional(),
    /** Null: not sold. */
    price: rate.nullable().optional(),
    restrictions: restrictions.partial().optional(),
  })
  .refine(isSpan, `from before until, at most ${MOST_DAYS} days`)
  .refine(change => change.price !== undefined || change.restrictions !== undefined, 'nothing to change');
export type CalendarChange = z.output<typeof calendarChange>;

/** Which days to read. */
export const calendarWindow = z
  .strictObject({ ...span, roomTypeId: idText('rty') })
  .refine(isSpan, `from before until, at most ${MOST_DAYS} days`);

/** A day as it is sold: a derived plan shows its own price. */
export const calendarDay = z.strictObject({ date: localDate, price: price.nullable(), restrictions });

/** What a tax or fee is a part of, and what it is counted by. */
export const chargeKinds = ['tax', 'fee'] as const;
export const chargeModes = ['inclusive', 'exclusive'] as const;
export const chargeBases = [
  'percent',
  'per_night',
  'per_person_night',
  'per_person_stay',
  'per_stay',
] as const;

const charge = {
  name: localised,
  kind: z.enum(chargeKinds),
  mode: z.enum(chargeModes),
  /** For what is counted by persons. */
  countsChildren: z.boolean(),
  /** Nights it is taken for, the last one included; null: no end. */
  validFrom: localDate,
  validUntil: localDate.nullable(),
};

/** A tax or fee as staff writes it; `per_stay` is once for each room. */
export const chargeValues = z.discriminatedUnion('basis', [
  z.strictObject({ ...charge, basis: z.literal('percent'), basisPoints: share }),
  z.strictObject({
    ...charge,
    basis: z.enum(['per_night', 'per_person_night', 'per_person_stay', 'per_stay']),
    amount: rate,
  }),
]);
export type ChargeValues = z.output<typeof chargeValues>;

/** A code that people type: upper-case letters, digits and hyphens. */
export const codeText = z
  .string()
  .max(32)
  .regex(/^[A-Z0-9]+(?:-[A-Z0-9]+)*$/, 'A-Z, 0-9 and single hyphens');

const keyed = { propertyId: idText('pro'), code: codeText, version };

/** A tax or fee as staff sees it. */
export const chargeView = z.strictObject({ ...keyed, values: chargeValues });
export type ChargeView = z.output<typeof chargeView>;

const promo = {
  name: localised,
  /** Arrivals it is for, the last day included. */
  stayFrom: localDate,
  stayUntil: localDate.nullable(),
  /** Days on which it can be used, on the property's calendar. */
  bookFrom: localDate,
  bookUntil: localDate.nullable(),
  minNights: z.int().min(1).max(365),
  /** Null: all plans. */
  ratePlanIds: z.array(idText('rpl')).min(1).max(50).refine(once, 'names a plan twice').nullable(),
  /** Bookings it is good for; null: no end. */
  mostUses: z.int().min(1).max(1_000_000).nullable(),
};

/** A promo code as staff writes it: so much of the price, or a sum off the booking. */
export const promoValues = z.discriminatedUnion('kind', [
  z.strictObject({ ...promo, kind: z.literal('percent'), basisPoints: share }),
  z.strictObject({ ...promo, kind: z.literal('amount'), amount: rate }),
]);
export type PromoValues = z.output<typeof promoValues>;

/** A promo code as staff sees it. */
export const promoView = z.strictObject({ ...keyed, values: promoValues, uses: z.int().min(0) });
export type PromoView = z.output<typeof promoView>;
