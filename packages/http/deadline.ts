import { httpErrors } from './errors.ts';

/**
 * Gives work a time limit. When it is over the caller hears HANDLER_TIMEOUT and `signal` fires; the work itself may
 * still run, which is safe: its transaction ends by the database's own timeout or by the fence of its lease.
 */
export async function withDeadline<T>(
  timeoutMs: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const timeout = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    const error = httpErrors.HANDLER_TIMEOUT();
    controller.abort(error);
    timeout.reject(error);
  }, timeoutMs);
  try {
    return await Promise.race([work(controller.signal), timeout.promise]);
  } finally {
    clearTimeout(timer);
  }
}
