/** How a service takes its messages (ledger section 9). */
export type Delivery = {
  /**
   * `push` for most services; `pull` for long projections (BROKER-10..12). Decides deadlines on Google Pub/Sub;
   * a `pull` service lets messages gather for a moment and takes them together.
   */
  readonly mode: 'push' | 'pull';
  /** Most instances of the service. */
  readonly instances: number;
  /** Batches in flight per instance. */
  readonly concurrency: number;
  /** `required`: a failing message holds back the later ones of its key. `any`: it waits alone. */
  readonly order: 'required' | 'any';
};

/** For services without a row in the ledger's table. */
export const defaultDelivery: Delivery = { mode: 'push', instances: 10, concurrency: 8, order: 'required' };
