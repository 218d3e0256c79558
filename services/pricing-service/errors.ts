import { defineErrors } from '@ghasi/domain-primitives/errors';

/** What pricing-service may refuse. Codes are forever. */
export const errors = defineErrors('pricing', {
  PROPERTY_UNKNOWN: { status: 422, text: 'This property is not known here (yet)' },
  ROOM_TYPE_UNKNOWN: { status: 422, text: 'Room type {roomTypeId} is not one of this property' },
  ROOM_TYPE_NOT_IN_PLAN: { status: 422, text: 'Room type {roomTypeId} is not sold on this plan' },
  CURRENCY_DIFFERS: { status: 422, text: 'This property sells in {currency}' },
  POLICY_UNFIT: { status: 422, text: 'Policy {policyId} is not a {kind} policy of this property' },
  POLICY_IN_USE: { status: 409, text: 'A rate plan still uses this policy' },
  BASE_PLAN_UNFIT: {
    status: 422,
    text: 'A plan can be derived only from a plan of the same property with its own prices and these room types',
  },
  BASE_PLAN_IN_USE: { status: 409, text: 'Other plans are derived from this plan' },
  PROPERTY_FIXED: { status: 422, text: 'A plan cannot move to another property' },
  PRICE_IS_DERIVED: { status: 422, text: 'The prices of this plan follow from another plan' },
  RESTRICTIONS_ALLOW_NO_STAY: { status: 422, text: 'On {date} the shortest stay would exceed the longest' },
  PLAN_TRANSITION_REFUSED: { status: 409, text: 'A plan that is {from} cannot become {to}' },
  QUOTE_UNKNOWN_FOR_DELTA: { status: 409, text: 'Quote {quoteId} of the date change is not here' },
});
