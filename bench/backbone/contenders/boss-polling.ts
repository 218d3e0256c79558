import { bossLibrary } from './boss-library.ts';

/** pg-boss as it comes: workers poll. */
export const contender = bossLibrary(false, 'pg-boss, polling', 'polls every 0.5 s, the shortest it takes');
