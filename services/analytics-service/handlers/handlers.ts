import type { Projection } from '../projection/handler.ts';
import { demand, operations, pickup } from './demand.ts';
import { charges, mix, revenue } from './money.ts';
import { occupancy } from './occupancy.ts';
import { snapshotHandlers } from './snapshots.ts';

/** Everything that is computed of a house. Those that others need stand before them. */
export const projection: Projection = {
  schema: 'analytics',
  handlers: [demand, occupancy, revenue, charges, mix, pickup, operations, ...snapshotHandlers],
};
