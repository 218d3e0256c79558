import type { Metrics } from '@ghasi/telemetry/metrics';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isLoopback } from './address.ts';

/** Who may read `/metrics`: this machine alone, everybody who reaches the port, or nobody. */
export type MetricsAccess = 'loopback' | 'public' | 'off';

/** Serves Prometheus text at `/metrics`; to others than allowed the path does not exist (safety rule 53). */
export function addMetricsRoute(fastify: FastifyInstance, metrics: Metrics, access: MetricsAccess): void {
  if (access === 'off') return;
  fastify.get('/metrics', async (request, reply) => {
    if (access === 'loopback' && !cameFromThisMachine(request)) return reply.callNotFound();
    return reply
      .header('cache-control', 'no-store')
      .type('text/plain; version=0.0.4; charset=utf-8')
      .send(await metrics.render());
  });
}

/** A proxy on this machine speaks from loopback too, but it says that it forwards. */
function cameFromThisMachine({ raw, headers }: FastifyRequest): boolean {
  const forwarded = [
    'x-forwarded-for',
    'x-forwarded-host',
    'x-forwarded-proto',
    'forwarded',
    'via',
    'x-real-ip',
  ];
  return isLoopback(raw.socket.remoteAddress) && forwarded.every(name => headers[name] === undefined);
}
