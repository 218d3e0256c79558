import type { Contender } from './contender.ts';

/** Who runs, by the name `--only` takes. A contender is one file that exports `contender`. */
export const contenders = {
  melmastoon: () => import('./contenders/melmastoon.ts'),
  'melmastoon-each': async () => ({ contender: (await import('./contenders/melmastoon.ts')).each }),
  'melmastoon-single': async () => ({ contender: (await import('./contenders/melmastoon.ts')).single }),
  'boss-notify': () => import('./contenders/boss-notify.ts'),
  'boss-polling': () => import('./contenders/boss-polling.ts'),
  'graphile-worker': () => import('./contenders/graphile-worker.ts'),
  'outbox-polling': () => import('./contenders/outbox-polling.ts'),
  'outbox-wal': () => import('./contenders/outbox-wal.ts'),
  bullmq: () => import('./contenders/bullmq.ts'),
  'redis-streams': () => import('./contenders/redis-streams.ts'),
} satisfies Record<string, () => Promise<{ contender: Contender }>>;

/** A name of the table above. */
export type ContenderName = keyof typeof contenders;

/** Loads a contender; its peer is loaded only when it starts. */
export async function loadContender(name: ContenderName): Promise<Contender> {
  return (await contenders[name]()).contender;
}
