import type { Count, Gauge } from '@ghasi/backbone/define-service';
import { sql } from '@ghasi/db/drizzle';
import { rows } from '@ghasi/db/sql';
import { systemTransaction } from '@ghasi/db/tenant-transaction';
import { sagaKinds, sagaOutcomes } from './model.ts';

const actor = { type: 'system', id: 'metrics' } as const;

/** OBS-12: sagas under way. How they ended is counted where they end (`endSaga`, OBS-13). */
export const sagasInflight: Gauge<'melmastoon_saga_inflight_count'> = {
  metric: 'melmastoon_saga_inflight_count',
  async read(db) {
    const found = await systemTransaction(db, { actor }, ({ tx }) =>
      rows<{ kind: string; open: bigint }>(tx, sql`select kind, open from reservation.open_sagas()`),
    );
    return found.map(({ kind, open }) => ({
      labels: { service: 'reservation-service', saga_name: kind },
      value: Number(open),
    }));
  },
};

/** OBS-13, OBS-29: what `endSaga` and a late check-in count. */
export const sagaCounts: readonly Count[] = [
  ...sagaKinds.flatMap(saga_name =>
    sagaOutcomes.map(outcome => ({
      metric: 'melmastoon_saga_completed_total' as const,
      labels: { service: 'reservation-service', saga_name, outcome },
    })),
  ),
  { metric: 'melmastoon_check_in_partial_total', labels: { service: 'reservation-service' } },
];
