import { defineErrors } from '@ghasi/domain-primitives/errors';

/**
 * What iam may answer. Refusals of credentials are few and coarse on purpose: which part was wrong is in the security
 * log, not in the answer (safety rule 37).
 */
export const errors = defineErrors('iam', {
  SIGN_IN_REFUSED: { status: 401, text: 'This e-mail and password do not open an account here' },
  SECOND_FACTOR_REFUSED: { status: 401, text: 'The second factor was not accepted' },
  SESSION_ENDED: { status: 401, text: 'This session has ended; sign in again' },
  DEVICE_PROOF_REFUSED: {
    status: 401,
    text: 'The Device-Proof header is missing or not valid for this request',
  },
  CURRENT_PASSWORD_WRONG: { status: 403, text: 'The current password is not right' },
  PASSWORD_REFUSED: { status: 422, text: 'This password cannot be used: {reason}' },
  LINK_REFUSED: { status: 410, text: 'This link was used, replaced or has expired; ask for a new one' },
  EMAIL_TAKEN: { status: 409, text: 'An operator with this e-mail exists already' },
  TENANT_HAS_OPERATORS: { status: 409, text: 'This tenant has accounts already; its own people add more' },
  OPERATOR_STATUS: { status: 409, text: 'An operator who is {from} cannot become {to}' },
  OPERATOR_IS_OWNER: { status: 409, text: 'An owner must first hand over the owner role' },
  OPERATOR_IS_YOU: { status: 409, text: 'You cannot do this to your own account' },
  PAIRING_REFUSED: { status: 403, text: 'This pairing code was used, has expired or never existed' },
  DEVICE_KEY_REFUSED: { status: 422, text: 'The device key cannot be used: {reason}' },
  FACTOR_REFUSED: { status: 422, text: 'The new factor did not prove itself; start again' },
  NO_SECOND_FACTOR: { status: 409, text: 'Set up a second factor first' },
  PROOF_NEEDED: {
    status: 403,
    text: 'Confirm with your second factor, or with your password if you have none',
  },
  ATTESTATION_REFUSED: {
    status: 403,
    text: 'This confirmation was used, has expired or is for something else',
  },
  ROLE_NOT_HELD: { status: 403, text: 'You do not have the role {role}' },
  CURSOR_REFUSED: { status: 400, text: 'This cursor was not made for this list' },
});
