import type { FastifyInstance } from 'fastify';
import type { Limits } from './limits.ts';

/** Leaving without dropping anybody. */
export type Drain = {
  isDraining(): boolean;
  /** From now on `/readyz` says 503 and every answer closes its connection; requests are still served. */
  start(): void;
  /** Stops listening, lets requests in flight finish within `drainTimeoutMs`, then cuts what is left. */
  close(): Promise<void>;
};

/** Adds the hooks a graceful end needs. */
export function drainOf(
  fastify: FastifyInstance,
  limits: Pick<Limits, 'drainDelayMs' | 'drainTimeoutMs'>,
): Drain {
  let draining = false;
  let closing: Promise<void> | undefined;
  fastify.addHook('onSend', async (_request, reply) => {
    // A connection kept alive would hold the server open until its idle time is over.
    if (draining) reply.header('connection', 'close');
  });

  async function close(): Promise<void> {
    draining = true;
    if (limits.drainDelayMs > 0) await new Promise(resolve => setTimeout(resolve, limits.drainDelayMs));
    const cut = setTimeout(() => fastify.server.closeAllConnections(), limits.drainTimeoutMs);
    try {
      await fastify.close();
    } finally {
      clearTimeout(cut);
    }
  }

  return {
    isDraining: () => draining,
    start() {
      draining = true;
    },
    close() {
      closing ??= close();
      return closing;
    },
  };
}
