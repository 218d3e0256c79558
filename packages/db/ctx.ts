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
  /** Does something once this transaction has committed, and not at all if it has not. Must not throw. */
  afterCommit(work: () => void): void;
  /** Counts something, once this transaction has committed. */
  count: Metrics['inc'];
};
