import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { coreErrors } from '@ghasi/domain-primitives/errors';

/** A request body that is read at most once, and only when somebody asks. */
export type LazyBody = {
  /** All bytes; BODY_TOO_LARGE as soon as the limit is known to be passed. */
  bytes(): Promise<Buffer>;
  /** SHA-256 of the bytes as lower-case hex: what a device signs. */
  sha256(): Promise<string>;
  /** True once the last byte was read: the connection can serve another request. */
  readonly complete: boolean;
};

/** Prepares to read the body; until it is asked for, nothing is buffered. */
export function lazyBody(raw: IncomingMessage, limitBytes: number): LazyBody {
  let reading: Promise<Buffer> | undefined;
  const bytes = () => {
    reading ??= collect(raw, limitBytes);
    return reading;
  };
  return {
    bytes,
    sha256: async () =>
      createHash('sha256')
        .update(await bytes())
        .digest('hex'),
    get complete() {
      return raw.readableEnded || !announcesBody(raw);
    },
  };
}

/** True when the headers say that a body follows. */
export function announcesBody(raw: IncomingMessage): boolean {
  const length = raw.headers['content-length'];
  return raw.headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
}

async function collect(raw: IncomingMessage, limitBytes: number): Promise<Buffer> {
  if (!announcesBody(raw)) return Buffer.alloc(0);
  if (Number(raw.headers['content-length'] ?? 0) > limitBytes) throw tooLarge(limitBytes);
  const chunks: Buffer[] = [];
  let size = 0;
  // Without destroyOnReturn: false the socket would be gone before the client hears why.
  for await (const chunk of raw.iterator({ destroyOnReturn: false })) {
    size += (chunk as Buffer).length;
    if (size > limitBytes) throw tooLarge(limitBytes);
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks, size);
}

function tooLarge(limitBytes: number) {
  return coreErrors.BODY_TOO_LARGE({ limitBytes });
}
