import { defineErrors } from '@ghasi/domain-primitives/errors';

/** What notification-service may refuse. Codes are forever. */
export const errors = defineErrors('notification', {
  CHANNEL_NOT_OFFERED: { status: 422, text: 'This house cannot write by {channel}' },
  PLACEHOLDER_UNKNOWN: { status: 422, text: '{template} knows no {placeholder}; it knows {known}' },
  PLACEHOLDER_MISSING: { status: 422, text: '{part} of {template} must name {placeholder}' },
  TEXT_TOO_LONG: { status: 422, text: 'The short text would take {parts} parts; at most {most} are sent' },
  ADDRESS_UNREADABLE: { status: 422, text: 'This is no address for {channel}' },
  RECEIPT_REFUSED: { status: 401, text: 'The signature of this receipt does not fit' },
  MESSAGE_TRANSITION_REFUSED: { status: 409, text: 'A message that is {from} cannot become {to}' },
});
