import type { z } from 'zod';
import { errors } from './errors.ts';
import type { EventType } from './event-type.ts';
import { reasonOf } from './reason.ts';

/** Reads the payload of an event; when not strict, members its schema does not know are left out first. */
export function readPayload<P>(event: EventType<P>, payload: unknown, { strict }: { strict: boolean }): P {
  const parsed = event.payload.safeParse(payload);
  if (parsed.success) return parsed.data;
  const known = strict ? undefined : withoutUnknown(payload, parsed.error);
  const again = known === undefined ? parsed : event.payload.safeParse(known);
  if (again.success) return again.data;
  throw errors.INVALID_ENVELOPE({ reason: `payload: ${reasonOf(again.error)}` });
}

/** A copy without the keys the schema refused; undefined when something else is wrong too. */
function withoutUnknown(payload: unknown, error: z.ZodError): unknown {
  if (!error.issues.every(issue => issue.code === 'unrecognized_keys')) return undefined;
  const copy = structuredClone(payload);
  for (const issue of error.issues) {
    if (issue.code !== 'unrecognized_keys') continue;
    const place = issue.path.reduce<unknown>((node, step) => Reflect.get(node as object, step), copy);
    for (const key of issue.keys) Reflect.deleteProperty(place as object, key);
  }
  return copy;
}
