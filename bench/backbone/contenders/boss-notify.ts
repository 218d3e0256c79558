import { bossLibrary } from './boss-library.ts';

/** pg-boss with its LISTEN/NOTIFY option: low latency, and a NOTIFY in every business transaction. */
export const contender = bossLibrary(true, 'pg-boss, NOTIFY', 'queues with `notify`, `useListenNotify`');
