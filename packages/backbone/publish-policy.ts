/** When a relay tries a row again that a broker did not take, and when somebody has to look at it. */
export type PublishPolicy = {
  /** Waits after the first, second, … failure; the last one holds for all further failures. */
  readonly ladderMs: readonly number[];
  readonly quarantineAfterAttempts: number;
  /** And not before this long. */
  readonly quarantineAfterMs: number;
};

/** The ledger's policy: 50 attempts take about 6.8 hours. A broker that is away for half an hour costs nothing. */
export const defaultPublishPolicy: PublishPolicy = {
  ladderMs: [1, 2, 4, 8, 16, 30, 60, 120, 240, 480, 600].map(seconds => seconds * 1000),
  quarantineAfterAttempts: 50,
  quarantineAfterMs: 6 * 3_600_000,
};

/** How long to wait after the n-th failure. */
export function publishWaitMs(failures: number, { ladderMs }: PublishPolicy): number {
  return ladderMs[Math.min(failures, ladderMs.length) - 1] ?? 0;
}
