import { defineErrors } from '@ghasi/domain-primitives/errors';

/** What the HTTP edge itself may answer, besides the core codes. */
export const httpErrors = defineErrors('http', {
  MALFORMED_REQUEST: { status: 400, text: 'This is not a well-formed HTTP request' },
  MALFORMED_JSON: { status: 400, text: 'The body is not acceptable JSON: {reason}' },
  TENANT_AMBIGUOUS: { status: 400, text: 'The path and the X-Tenant-Slug header name different tenants' },
  CROSS_SITE_REQUEST: { status: 403, text: 'A page of another site may not send this request' },
  STEP_UP_REQUIRED: { status: 403, text: 'Confirm "{action}" with a second factor first' },
  TENANT_NOT_ACTIVE: { status: 403, text: 'This property group is not open for business at the moment' },
  REQUEST_TIMEOUT: { status: 408, text: 'The request did not arrive in time' },
  URL_TOO_LONG: { status: 414, text: 'A part of the address is too long' },
  HEADERS_TOO_LARGE: { status: 431, text: 'The request headers are too large' },
  TOO_BUSY: { status: 503, text: 'Too many requests are being worked on; try again in a few seconds' },
  HANDLER_TIMEOUT: { status: 504, text: 'This took too long; repeat it with the same Idempotency-Key' },
});
