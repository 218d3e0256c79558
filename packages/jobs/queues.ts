/** The four queues, most urgent first (JOB-23). Each has its own workers, so a flood of bulk work delays no payment. */
export const queueNames = ['critical', 'default', 'bulk', 'scheduled'] as const;

/** One of the four queues. */
export type QueueName = (typeof queueNames)[number];

/** How a job may name its queue; `low` is an alias of `bulk`. */
export type QueueAlias = QueueName | 'low';

/** The queue behind a name or alias. */
export function queueOf(alias: QueueAlias): QueueName {
  return alias === 'low' ? 'bulk' : alias;
}

/** pg-boss's name for a service's part of a queue: a process takes the jobs of the services it hosts only. */
export function bossQueue(service: string, queue: QueueName): string {
  return `${service}.${queue}`;
}

/** The service and queue of a pg-boss queue, or undefined for one that pg-boss keeps for itself. */
export function parseBossQueue(name: string): { service: string; queue: QueueName } | undefined {
  const [service, queue, ...rest] = name.split('.');
  const known = queueNames.find(candidate => candidate === queue);
  return service && known && rest.length === 0 ? { service, queue: known } : undefined;
}
