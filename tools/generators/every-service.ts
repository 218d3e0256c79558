import type { Service } from '@ghasi/backbone/define-service';
import type { EventType } from '@ghasi/event-envelope/define-event';

/** The services as declarations: nothing is started, so the secret guards nothing and nobody can be asked. */
export async function everyService(): Promise<Service[]> {
  const { allServices } = await import('@melmastoon/server/services');
  const ask = () => Promise.reject(new Error('no service runs while pages are generated'));
  return allServices({
    secret: 'only-described-never-used-for-anything',
    publicUrl: 'http://localhost',
    ask,
  });
}

/** Every event somebody publishes, by subject. */
export async function everyEvent(): Promise<EventType[]> {
  const events = (await everyService()).flatMap(({ publishes }) => publishes);
  return events.toSorted((a, b) => (a.subject < b.subject ? -1 : 1));
}
