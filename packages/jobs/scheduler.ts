import type { Logger } from '@ghasi/telemetry/logger';
import type { PgBoss } from 'pg-boss';
import type { Schedule } from './define-job.ts';
import { bossOptions, pack } from './envelope.ts';
import { bossQueue, parseBossQueue } from './queues.ts';

/** The schedules of a running process. */
export type Scheduler = { stop(): void };

/**
 * Brings pg-boss's cron table in line with the code, for the services hosted here, and starts the timers of the
 * intervals, for which pg-boss's cron with its resolution of a minute is too coarse.
 */
export async function startScheduler(
  boss: PgBoss,
  schedules: readonly Schedule[],
  options: { services: ReadonlySet<string>; log: Logger },
): Promise<Scheduler> {
  for (const schedule of schedules) {
    const { job, recurrence } = schedule;
    if (recurrence.kind !== 'cron') continue;
    const { data, send } = occurrence(schedule);
    const cron = { tz: recurrence.zone, key: job.name, missed: 'once' } as const;
    await boss.schedule(bossQueue(job.service, job.queue), recurrence.expression, data, { ...send, ...cron });
  }
  for (const { name, key } of await boss.getSchedules()) {
    const service = parseBossQueue(name)?.service;
    const wanted = schedules.some(
      ({ job, recurrence }) =>
        recurrence.kind === 'cron' && job.name === key && bossQueue(job.service, job.queue) === name,
    );
    if (service !== undefined && options.services.has(service) && !wanted) await boss.unschedule(name, key);
  }
  const stops = schedules.map(schedule => startTicking(boss, schedule, options.log));
  return {
    stop() {
      for (const stop of stops) stop();
    },
  };
}

/**
 * Enqueues the next run of a schedule, unless one is unfinished or, with an interval, its slot has had one: every process
 * may try, PostgreSQL lets one succeed. Slots are counted by the database's clock.
 */
export async function sendOccurrence(boss: PgBoss, schedule: Schedule): Promise<boolean> {
  const { job, recurrence } = schedule;
  const { data, send } = occurrence(schedule);
  const slot = recurrence.kind === 'interval' ? { singletonSeconds: recurrence.seconds } : {};
  return (await boss.send(bossQueue(job.service, job.queue), data, { ...send, ...slot })) !== null;
}

const DAY_SECONDS = 86_400;
const HOUR_MS = 3_600_000;

function occurrence({ job, recurrence, input }: Schedule) {
  // The key stays while the job runs (it does not start with `once:`), so the queue refuses a second one.
  const singletonKey = `schedule:${job.name}`;
  // A finished run is the mark of its slot and must stay as long as the slot lasts.
  const slotSeconds = recurrence.kind === 'interval' ? recurrence.seconds : 0;
  const send = { ...bossOptions(job), singletonKey, deleteAfterSeconds: Math.max(DAY_SECONDS, slotSeconds) };
  return { data: pack(job, input, { actor: { type: 'system', id: job.name } }), send };
}

/** Tries at once and then in the middle of every slot, where a clock half a slot off still hits each slot once. */
function startTicking(boss: PgBoss, schedule: Schedule, log: Logger): () => void {
  if (schedule.recurrence.kind !== 'interval') return () => {};
  const slotMs = schedule.recurrence.seconds * 1_000;
  let timer: NodeJS.Timeout | undefined;
  const tick = () => {
    // At least hourly: a timer holds 24 days at most, and trying too often does no harm.
    timer = setTimeout(tick, Math.min(HOUR_MS, slotMs - ((Date.now() + slotMs / 2) % slotMs)));
    sendOccurrence(boss, schedule).catch(error =>
      log.warn({ err: error, jobType: schedule.job.name }, 'a schedule was missed'),
    );
  };
  tick();
  return () => clearTimeout(timer);
}
