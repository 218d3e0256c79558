import type { IncomingMessage } from 'node:http';
import { coreErrors } from '@ghasi/domain-primitives/errors';
import { announcesBody } from './read-body.ts';

/**
 * Refuses a body that is not plain JSON before a byte of it is read: other media types (a form or text/plain is what
 * a foreign page can send without a preflight) and compressed bodies (a small bomb becomes a large one).
 */
export function refuseOtherMedia(raw: IncomingMessage): void {
  if (!announcesBody(raw)) return;
  const encoding = raw.headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw coreErrors.UNSUPPORTED_MEDIA_TYPE({ expected: 'application/json without Content-Encoding' });
  }
  if (!/^application\/json *(; *charset="?utf-8"?)? *$/i.test(raw.headers['content-type'] ?? '')) {
    throw coreErrors.UNSUPPORTED_MEDIA_TYPE({ expected: 'application/json' });
  }
}
