import { defineService, type Service } from '@ghasi/backbone/define-service';
import type { EventType } from '@ghasi/event-envelope/define-event';
import { tableMedium } from './adapters/table.ts';
import type { AnchorMedium } from './anchor.ts';
import { events as own } from './contract.ts';
import { errors } from './errors.ts';
import { auditJobs } from './jobs.ts';
import { auditReactions } from './reactions.ts';
import { entryRoutes } from './routes/entries.ts';
import { verificationRoutes } from './routes/verifications.ts';
import * as tables from './tables.ts';

/** What an installation gives it. */
export type AuditParts = {
  /** Every event of the platform; `isRecorded` picks. By rule and not by list (BROKER-16): nothing new is forgotten. */
  readonly events: readonly EventType[];
  /** Where roots are kept, each of another kind. Default: a table that only grows. */
  readonly media?: readonly AnchorMedium[];
};

/** A chain of everything that happened, which a third party can verify. */
export function createAuditService({ events, media = [tableMedium] }: AuditParts): Service {
  const { jobs, schedules, verify } = auditJobs(media);
  return defineService({
    name: 'audit-service',
    schema: 'audit',
    migrations: new URL('./migrations/', import.meta.url),
    tables,
    publishes: own,
    reacts: auditReactions(events),
    delivery: { mode: 'pull', instances: 8, concurrency: 32, order: 'any' }, // ORD-12: it only appends
    routes: [...entryRoutes, ...verificationRoutes({ verify })],
    jobs, // verify
    schedules, // chain-arrivals, anchor-days
    errors,
  });
}

/** Without events it records nothing: the platform makes its own with all of them. */
export const service = createAuditService({ events: [] });
