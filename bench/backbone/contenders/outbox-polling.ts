import { outboxLibrary } from './outbox-library.ts';

/** pg-transactional-outbox, polling listener. */
export const contender = outboxLibrary(
  'polling',
  'pg-transactional-outbox, polling',
  'polls every 10 ms, 48 messages at a time (16 with five consumers), processed messages deleted every second as its documentation asks',
);
