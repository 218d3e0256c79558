import type { Logger } from '@ghasi/telemetry/logger';
import type { Metrics } from '@ghasi/telemetry/metrics';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { inRequestTrace } from './correlation.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The service a route belongs to; the host's own routes have none. */
    service?: string;
  }
}

const statusClasses = ['1xx', '2xx', '3xx', '4xx', '5xx'] as const;

/** One log line and one count per answered request, by route template: paths and queries hold names and ids. */
export function addRequestLog(fastify: FastifyInstance, log: Logger, metrics: Metrics): void {
  const inFlight = new Map<string, number>();
  const move = (service: string, by: number) => {
    const now = (inFlight.get(service) ?? 0) + by;
    inFlight.set(service, now);
    metrics.set('melmastoon_http_requests_inflight_count', { service }, now);
  };

  fastify.addHook('onRequest', async request => move(serviceOf(request), 1));
  fastify.addHook('onResponse', async (request, reply) => {
    const service = serviceOf(request);
    const { method } = request;
    const route = request.routeOptions.url ?? 'unknown';
    const { statusCode: status, elapsedTime } = reply;
    move(service, -1);
    const status_class = statusClasses[Math.floor(status / 100) - 1] ?? '5xx';
    metrics.inc('melmastoon_http_requests_total', { service, route, method, status_class });
    metrics.observe(
      'melmastoon_http_request_duration_seconds',
      { service, route, method },
      elapsedTime / 1000,
    );
    inRequestTrace(request.id, request.headers, () =>
      log.info({ service, method, route, status, ms: Math.round(elapsedTime) }, 'request answered'),
    );
  });
}

function serviceOf(request: FastifyRequest): string {
  return request.routeOptions.config?.service ?? 'http';
}
