import type { newId, TenantId } from '@ghasi/domain-primitives/ids';
import type { Logger } from '@ghasi/telemetry/logger';
import type { Metrics } from '@ghasi/telemetry/metrics';
import type { Tx } from './sql.ts';

/** Who acts (ledger ENV-11). */
export type Actor = { type: 'user' | 'system' | 'service' | 'api_key'; id: string };

/** For whom a transaction runs. `now` defaults to this moment; time is an argument so that rules can be tested. */
export type Who = { tenantId: TenantId; actor: Actor; now?: Date; log?: Logger };

/** What every use case gets as its first argument. `tx` already carries the tenant. */
export type Ctx = {
  tx: Tx;
  tenantId: TenantId;
  actor: Actor;
  now: Date;
  newId: typeof newId;
  log: Logger;
  /**
   * Sends a write whose answer nobody needs: it leaves in one packet with what follows, with COMMIT if nothing does. When it
   * fails, nothing of the transaction is kept, and its error is the transaction's. One statement, or several sent at once: one that
   * waits for another's answer would leave after COMMIT; that is for `ensure`. It leaves in the order of calls; a statement of the builder
   * that is awaited, also by `Promise.all`, leaves a little later than one of `rows` or `execute`.
   */
  write(statement: PromiseLike<unknown>): void;
  /** The same for what must have come true before COMMIT leaves, such as a versioned update that must find its row. */
  ensure(check: PromiseLike<unknown>): void;
  /** Does something once this transaction has committed, and not at all if it has not. Must not throw. */
  afterCommit(work: () => void): void;
  /** Counts something, once this transaction has committed. */
  count: Metrics['inc'];
};
