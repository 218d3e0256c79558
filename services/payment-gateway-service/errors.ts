import { defineErrors } from '@ghasi/domain-primitives/errors';

/** What payment-gateway-service may refuse. Codes are forever. */
export const errors = defineErrors('payment', {
  BOOKING_UNKNOWN: { status: 404, text: 'No such booking has been heard of here yet' },
  BOOKING_ENDED: { status: 409, text: 'This booking is over: there is nothing to pay' },
  INTENT_OPEN: { status: 409, text: 'A payment for this purpose is open already: {paymentId}' },
  RAIL_NOT_OFFERED: { status: 422, text: 'This house does not take {rail}' },
  INTENT_TRANSITION_REFUSED: { status: 409, text: 'A payment that is {from} cannot become {to}' },
  NOT_A_CASH_PAYMENT: { status: 409, text: 'This payment is not made in cash' },
  NOT_CAPTURED: { status: 409, text: 'Nothing was captured: there is nothing to give back' },
  REFUND_EXCEEDS_CAPTURE: {
    status: 409,
    text: 'At most {left} {currency} minor units are left to give back',
  },
  CURRENCY_DIFFERS: { status: 422, text: 'The amount must be in {currency}' },
  REFUND_NOT_AT_DESK: { status: 409, text: 'This refund is not paid out at the desk' },
  REFUND_NOT_FAILED: { status: 409, text: 'Only a refund that failed can be tried again' },
  FOLIO_NOT_OPEN: { status: 409, text: 'The folio of this booking is not open yet: try again in a moment' },
  CASH_NOT_BALANCED: { status: 422, text: 'The drawer does not hold what was received' },
  CASH_AMOUNT_DIFFERS: { status: 422, text: 'Exactly {due} {currency} minor units are due' },
  CASH_STEP: { status: 422, text: '{currency} notes and coins come in steps of {step} minor units' },
  SHIFT_UNKNOWN: { status: 404, text: 'No such shift is open' },
  NOT_YOUR_SHIFT: { status: 403, text: 'Only who works the shift, or a manager, may use its drawer' },
  DRAWER_EXISTS: { status: 409, text: 'This shift has a drawer already' },
  DRAWER_NOT_OPEN: { status: 409, text: 'The drawer of this shift is not open' },
  DRAWER_NOT_COUNTED: { status: 409, text: 'Count the drawer first, without looking' },
  DRAWER_COUNTED: { status: 409, text: 'The drawer was counted already: what was expected is known now' },
  DRAWER_OF_ANOTHER_PROPERTY: { status: 409, text: 'This drawer stands in another property' },
  CURRENCY_NOT_COUNTED: { status: 422, text: 'Count {currency} too: the drawer has or had some' },
  VARIANCE_NEEDS_REASON: { status: 422, text: 'The count of {currency} differs: say why' },
  WEBHOOK_REFUSED: { status: 401, text: 'The signature of this message does not fit' },
  PROVIDER_UNREACHABLE: { status: 503, text: 'The provider does not answer: the outcome is asked for again' },
});
