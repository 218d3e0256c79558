import type { Socket } from 'node:net';
import { type AppError, coreErrors } from '@ghasi/domain-primitives/errors';
import { httpErrors } from './errors.ts';
import { problemHeaders, problemOf } from './problem.ts';

/** The catalogue error for what Fastify itself refuses, e.g. a path that does not decode; undefined for others. */
export function fromFastify(error: unknown): AppError | undefined {
  const { code, statusCode } = error as { code?: unknown; statusCode?: unknown };
  if (typeof code !== 'string' || !code.startsWith('FST_ERR_')) return undefined;
  if (code === 'FST_ERR_MAX_PARAM_LENGTH') return httpErrors.URL_TOO_LONG();
  if (statusCode === 415) return coreErrors.UNSUPPORTED_MEDIA_TYPE({ expected: 'application/json' });
  if (statusCode === 413) return coreErrors.BODY_TOO_LARGE({ limitBytes: '-' });
  if (typeof statusCode === 'number' && statusCode < 500) return httpErrors.MALFORMED_REQUEST();
  return undefined;
}

/** The catalogue error for what Node's parser refuses before there is a request. */
export function fromParser(code: string | undefined): AppError {
  if (code === 'HPE_HEADER_OVERFLOW') return httpErrors.HEADERS_TOO_LARGE();
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return httpErrors.REQUEST_TIMEOUT();
  return httpErrors.MALFORMED_REQUEST();
}

/** Answers a connection whose bytes never became a request, and closes it. */
export function refuseConnection(
  error: Error & { code?: string },
  socket: Socket,
  correlationId: string,
): void {
  if (error.code === 'ECONNRESET' || !socket.writable || socket.destroyed) {
    socket.destroy();
    return;
  }
  const refusal = fromParser(error.code);
  const problem = problemOf(refusal, correlationId);
  const body = JSON.stringify(problem);
  const head = Object.entries(problemHeaders(refusal)).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(
    `HTTP/1.1 ${problem.status} ${problem.title}\r\nconnection: close\r\ncontent-length: ${Buffer.byteLength(body)}\r\n` +
      `x-correlation-id: ${correlationId}\r\n${head.join('')}\r\n${body}`,
  );
}
