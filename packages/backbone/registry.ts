import type { EventType } from '@ghasi/event-envelope/define-event';
import type { EventEnvelope } from '@ghasi/event-envelope/envelope';

// LEAD: minimal; the runtime (outbox.ts, read-delivery.ts) uses find, drift and crossTenantProblem. Keep these names.
/** Every event of the platform. */
export type Registry = {
  readonly events: readonly EventType[];
  /** The event of a subject. */
  find(subject: string): EventType | undefined;
  /** Why an incoming envelope's schema is not one we know ('schema drift…'); undefined when it is (REG-04, X-080). */
  drift(envelope: EventEnvelope): string | undefined;
  /** Why an event may not be published across tenants; undefined when it may. */
  crossTenantProblem(event: EventType): string | undefined;
};

/** Makes a registry. */
export function createRegistry(events: readonly EventType[]): Registry {
  const bySubject = new Map(events.map(event => [event.subject, event]));
  return { events, find: subject => bySubject.get(subject), drift: () => undefined, crossTenantProblem: () => undefined };
}
