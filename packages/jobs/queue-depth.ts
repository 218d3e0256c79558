import type { Logger } from '@ghasi/telemetry/logger';
import type { Metrics } from '@ghasi/telemetry/metrics';
import type { PgBoss } from 'pg-boss';
import { parseBossQueue, type QueueName, queueNames } from './queues.ts';

/** Watches how full the queues are, until stopped. */
export type QueueWatch = { stop(): void };

type Depth = { pending: number; running: number; dead_letter: number };

/**
 * Shows the depth of the four queues as a metric (OBS-16), from the counts that pg-boss takes every few seconds, and
 * logs an error when too many dead letters are kept (OBS-33), once until there are fewer again.
 */
export function watchQueues(
  boss: PgBoss,
  options: { log: Logger; metrics: Metrics | undefined; deadLetterThreshold: number; everySeconds: number },
): QueueWatch {
  const { log, metrics, deadLetterThreshold: threshold } = options;
  const alarmed = new Set<QueueName>();
  const look = async () => {
    const depths = await readDepths(boss);
    for (const queue of queueNames) {
      const deadLetters = depths[queue].dead_letter;
      if (deadLetters < threshold) alarmed.delete(queue);
      else if (!alarmed.has(queue)) {
        alarmed.add(queue);
        log.error(
          { queue, deadLetters, threshold },
          'too many dead letters; listJobs (melm jobs list) shows why',
        );
      }
    }
  };
  const unwatch = metrics?.watch('melmastoon_job_queue_depth_count', async () => {
    const depths = await readDepths(boss);
    return queueNames.flatMap(queue =>
      states.map(state => ({ labels: { queue, state }, value: depths[queue][state] })),
    );
  });
  const timer = setInterval(() => {
    look().catch(error => log.warn({ err: error }, 'the depth of the queues could not be read'));
  }, options.everySeconds * 1_000);
  return {
    stop() {
      clearInterval(timer);
      unwatch?.();
    },
  };
}

const states = ['pending', 'running', 'dead_letter'] as const;

async function readDepths(boss: PgBoss): Promise<Record<QueueName, Depth>> {
  const empty = () => ({ pending: 0, running: 0, dead_letter: 0 });
  const depths = { critical: empty(), default: empty(), bulk: empty(), scheduled: empty() };
  for (const { name, readyCount, activeCount, failedCount } of await boss.getQueues()) {
    const queue = parseBossQueue(name)?.queue;
    if (queue === undefined) continue;
    depths[queue].pending += readyCount;
    depths[queue].running += activeCount;
    depths[queue].dead_letter += failedCount;
  }
  return depths;
}
