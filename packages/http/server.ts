import { coreErrors } from '@ghasi/domain-primitives/errors';
import type { Logger } from '@ghasi/telemetry/logger';
import { newCorrelation } from '@ghasi/telemetry/tracing';
import Fastify, { type FastifyInstance } from 'fastify';
import { correlationFor } from './correlation.ts';
import type { Limits } from './limits.ts';
import { sendProblem } from './problem-reply.ts';
import { refuseConnection } from './transport-errors.ts';

/** A Fastify server with every limit set and nothing parsed: bodies are read by the route's own pipeline. */
export function newServer(options: {
  limits: Limits;
  log: Logger;
  trustedProxies: readonly string[] | undefined;
}): FastifyInstance {
  const { limits, log, trustedProxies } = options;
  const fastify = Fastify({
    logger: false, // request-log.ts writes the one line per request
    trustProxy: trustedProxies === undefined || trustedProxies.length === 0 ? false : [...trustedProxies],
    genReqId: raw => correlationFor(raw.headers),
    requestIdHeader: false,
    bodyLimit: limits.bodyBytes,
    requestTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: limits.keepAliveMs,
    return503OnClosing: false, // drain.ts decides
    forceCloseConnections: 'idle',
    routerOptions: { maxParamLength: limits.paramLength },
    http: {
      maxHeaderSize: limits.headerBytes,
      headersTimeout: limits.headersTimeoutMs,
      connectionsCheckingInterval: limits.connectionCheckMs,
    },
    frameworkErrors: (error, request, reply) => void sendProblem(log, error, request, reply),
    clientErrorHandler: (error, socket) => refuseConnection(error, socket, newCorrelation()),
  });
  fastify.server.maxConnections = limits.connections;
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('*', (_request, _payload, done) => done(null));
  fastify.setErrorHandler((error, request, reply) => sendProblem(log, error, request, reply));
  fastify.setNotFoundHandler((request, reply) =>
    sendProblem(log, coreErrors.NOT_FOUND({ entity: 'This address' }), request, reply),
  );
  return fastify;
}
