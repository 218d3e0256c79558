import { z } from 'zod';
import type { Definition, EventType, Occurrence, PendingEvent, Replacement } from './event-type.ts';
import { occur } from './pending.ts';
import { type RetentionClass, retentionClasses } from './retention.ts';

export type { EventType, Occurrence, PayloadOf, PendingEvent, Replacement } from './event-type.ts';

/** What `defineEvent` takes: the schema gives the payload its type. */
export type EventDefinition<Schema extends z.ZodType, Old> = Omit<
  Definition<z.output<Schema>, Old>,
  'payload'
> & { readonly payload: Schema };

/** What a catalogue knows about an event beyond its declaration. */
export type CatalogueEntry = Pick<
  EventType,
  'subject' | 'type' | 'service' | 'aggregate' | 'verb' | 'version' | 'owner' | 'platform' | 'aiProvenance'
> & { readonly mayCrossTenants: boolean };

const defined = new WeakSet<object>();

/** Makes an event from its declaration and what the catalogue says of its subject; throws on a wrong declaration. */
export function declareEvent<Schema extends z.ZodType, Old>(
  definition: EventDefinition<Schema, Old>,
  { mayCrossTenants, ...entry }: CatalogueEntry,
): EventType<z.output<Schema>> {
  type P = z.output<Schema>;
  const wrong =
    whatIsWrong(definition, mayCrossTenants) ??
    whatIsWrongWith(definition.payload) ??
    whyNotAfter(definition.replaces?.event as EventType | undefined, entry);
  if (wrong !== undefined) throw new TypeError(`defineEvent(${definition.subject}): ${wrong}`);
  const { replaces, ...rest } = definition;
  const event: EventType<P> = Object.freeze({
    ...rest,
    ...(replaces === undefined ? {} : { replaces: replaces as Replacement<unknown, P> }),
    payload: definition.payload as z.ZodType<P>,
    ...entry,
    from: (payload: P, occurrence: Occurrence): PendingEvent<P> => occur(event, payload, occurrence),
  });
  defined.add(event);
  return event;
}

/** True for what `defineEvent` returned. */
export function isEventType(value: unknown): value is EventType {
  return typeof value === 'object' && value !== null && defined.has(value);
}

function whatIsWrong(
  { summary, retention, crossTenant }: { summary: string; retention: RetentionClass; crossTenant?: true },
  mayCrossTenants: boolean,
): string | undefined {
  if (summary.trim() === '') return 'say in `summary` what happened';
  if (!retentionClasses.includes(retention)) return `retention is one of ${retentionClasses.join(', ')}`;
  if (crossTenant && !mayCrossTenants) return 'its service may not publish across tenants (XT-01)';
  return undefined;
}

function whatIsWrongWith(payload: z.ZodType): string | undefined {
  if (payload instanceof z.ZodUnion) {
    const reasons = payload.options.map(option => whatIsWrongWith(option as z.ZodType));
    return reasons.find(reason => reason !== undefined);
  }
  if (!(payload instanceof z.ZodObject)) return 'the payload must be a z.strictObject, or a union of them';
  if (!(payload.def.catchall instanceof z.ZodNever)) return 'the payload must be strict: use z.strictObject';
  if (Object.keys(payload.shape).length === 0) return 'the payload is empty: a consumer could not act on it';
  return undefined;
}

function whyNotAfter(
  older: EventType | undefined,
  { type, version, owner }: Omit<CatalogueEntry, 'mayCrossTenants'>,
): string | undefined {
  if (older === undefined)
    return version === 1 ? undefined : 'say in `replaces` how it follows the version before';
  if (!isEventType(older) || older.type !== type || older.version !== version - 1)
    return `it can only replace ${type}.v${version - 1}`;
  return older.owner === owner ? undefined : `${older.owner} owns the version before`;
}
