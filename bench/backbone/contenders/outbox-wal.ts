import { outboxLibrary } from './outbox-library.ts';

/** pg-transactional-outbox, listener on the write-ahead log. */
export const contender = outboxLibrary(
  'replication',
  'pg-transactional-outbox, WAL',
  'logical replication slot per box, 24 handlers at once (8 with five consumers)',
);
