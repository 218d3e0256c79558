const LONGEST_MS = 30 * 86_400_000; // so long an inbox remembers

/**
 * Thrown by a job to fail this run and have the next one after `afterMs` instead of the usual backoff: at most 30 days, and
 * at once for what is no number.
 */
export class RetryLater extends Error {
  readonly afterMs: number;

  constructor(afterMs: number, reason = 'asked to be run again later', options?: ErrorOptions) {
    super(reason, options);
    this.name = 'RetryLater';
    this.afterMs = Math.min(Math.max(afterMs || 0, 0), LONGEST_MS);
  }
}

/** Thrown by a job that will never succeed: it becomes a dead letter at once, whatever runs it has left. */
export class GiveUp extends Error {
  constructor(reason: string, options?: ErrorOptions) {
    super(reason, options);
    this.name = 'GiveUp';
  }
}
