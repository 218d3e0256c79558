import { defineService, type Service } from '@ghasi/backbone/define-service';
import { summaryAnswer } from './answers.ts';
import { events } from './contract.ts';
import { projectHouse, schedules } from './jobs.ts';
import { createReactions } from './reactions.ts';
import { routes } from './routes.ts';
import * as heard from './tables/heard.ts';
import * as numbers from './tables/numbers.ts';

/** Numbers computed from everybody's events; those of a house at most once in `restMs`. */
export function createAnalyticsService({ restMs = 2_000 }: { restMs?: number } = {}): Service {
  return defineService({
    name: 'analytics-service',
    schema: 'analytics',
    migrations: new URL('./migrations/', import.meta.url),
    tables: { ...heard, ...numbers },
    publishes: events,
    reacts: createReactions({ restMs }),
    delivery: { mode: 'pull', instances: 4, concurrency: 16, order: 'any' }, // ORD-10: sums do not care for order
    routes,
    answers: [summaryAnswer],
    jobs: [projectHouse],
    schedules,
  });
}
