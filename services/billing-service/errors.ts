import { defineErrors } from '@ghasi/domain-primitives/errors';

/** What billing-service may refuse. Codes are forever. */
export const errors = defineErrors('billing', {
  FOLIO_CLOSED: { status: 409, text: 'This folio is closed: nothing is posted to it any more' },
  CURRENCY_DIFFERS: { status: 422, text: 'The amount must be in {currency}' },
  SPLIT_UNKNOWN: { status: 422, text: 'This folio has no split {split}' },
  TOO_MANY_SPLITS: { status: 409, text: 'A folio has at most {most} splits' },
  SAME_SPLIT: { status: 422, text: 'From one split to itself nothing moves' },
  ROOM_NOT_IN_FOLIO: { status: 422, text: 'This room is not on this folio' },
  FEE_POSTED: { status: 409, text: 'This fee was charged already' },
  LINE_REVERSED: { status: 409, text: 'This line was taken back already' },
  LINE_NOT_REVERSIBLE: { status: 409, text: 'A line of kind {kind} is not taken back here' },
  LINE_INVOICED: { status: 409, text: 'This line is on invoice {number}: void it first' },
  NOTHING_TO_COLLECT: { status: 409, text: 'This guest has not begun to leave, or owes nothing' },
  NOTHING_TO_INVOICE: { status: 409, text: 'There is no charge that is not on an invoice already' },
  CHARGED_AHEAD: {
    status: 409,
    text: 'Nights of a date change are charged ahead: invoice it once they are slept',
  },
  INVOICE_VOIDED: { status: 409, text: 'This invoice counts no more' },
  ALREADY_RESOLVED: { status: 409, text: 'Somebody has dealt with this already' },
});
