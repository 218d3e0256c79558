import { coreErrors } from '@ghasi/domain-primitives/errors';
import { isUuid } from '@ghasi/domain-primitives/uuid';

const NAME = 'idempotency-key';
const MAX_LENGTH = 255;

/**
 * The Idempotency-Key of a request, from its raw header list (Node joins repeated headers, which would hide two keys).
 * On open routes nobody is known, so the key itself must be unguessable: a UUID, else a stranger's "1" would meet ours.
 */
export function readIdempotencyKey(rawHeaders: readonly string[], options: { open: boolean }): string {
  const values = rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === NAME);
  const [key] = values;
  if (key === undefined || (values.length === 1 && key === '')) throw coreErrors.IDEMPOTENCY_KEY_MISSING();
  if (values.length > 1) throw invalid('it was sent twice');
  if (key.length > MAX_LENGTH) throw invalid(`it is longer than ${MAX_LENGTH} characters`);
  if (!/^[\x20-\x7e]+$/.test(key)) throw invalid('it may hold printable ASCII only');
  if (options.open && !isUuid(key.toLowerCase())) throw invalid('without a sign-in it must be a UUID');
  return key;
}

function invalid(reason: string) {
  return coreErrors.IDEMPOTENCY_KEY_INVALID({ reason });
}
