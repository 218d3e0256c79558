import { AppError, coreErrors } from '@ghasi/domain-primitives/errors';
import type { Logger } from '@ghasi/telemetry/logger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { inRequestTrace } from './correlation.ts';
import { httpErrors } from './errors.ts';
import { renderProblem } from './output.ts';
import { sendRendered } from './reply.ts';
import { fromFastify } from './transport-errors.ts';

/**
 * Answers a request with whatever went wrong. An error of the catalogue is shown; any other goes to the log in full
 * and to the client as INTERNAL.
 */
export function sendProblem(
  log: Logger,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const known = error instanceof AppError ? error : (fromFastify(error) ?? coreErrors.INTERNAL());
  // Of those who were turned away there is a count; a line for each would keep the next ones waiting.
  if (known.status >= 500 && !httpErrors.TOO_BUSY.is(error)) {
    inRequestTrace(request.id, request.headers, () =>
      log.error({ err: error, route: request.routeOptions?.url, code: known.code }, 'a request failed'),
    );
  }
  return sendRendered(reply, { auth: { kind: 'guest' } }, renderProblem(known, request.id));
}
