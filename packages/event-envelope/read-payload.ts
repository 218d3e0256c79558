import type { z } from 'zod';
import { errors } from './errors.ts';
import type { EventType } from './event-type.ts';
import { reasonOf } from './reason.ts';

/** What a reader knows of the schema of a payload. */
export type SchemaAge = {
  /** It is of a newer release than ours: values that its enums gained stay as they are (REG-07). Default false. */
  readonly newer?: boolean;
};

/** Reads the payload of an event; when not strict, members its schema does not know are left out first. */
export function readPayload<P>(
  event: EventType<P>,
  payload: unknown,
  { strict, newer = false }: SchemaAge & { readonly strict: boolean },
): P {
  const parsed = event.payload.safeParse(payload);
  if (parsed.success) return parsed.data;
  if (strict) throw refusal(parsed.error);
  const known = withoutUnknown(payload, parsed.error);
  const again = event.payload.safeParse(known);
  if (again.success) return again.data;
  // its producer has put in every default, and signed that it fits his schema, which is additive to ours
  if (newer && again.error.issues.every(issue => isNewValue(issue, known))) return known as P;
  throw refusal(again.error);
}

function refusal(error: z.ZodError) {
  return errors.INVALID_ENVELOPE({ reason: `payload: ${reasonOf(error)}` });
}

/** A copy without the keys the schema refused. */
function withoutUnknown(payload: unknown, error: z.ZodError): unknown {
  const copy = structuredClone(payload);
  for (const issue of error.issues) {
    if (issue.code !== 'unrecognized_keys') continue;
    for (const key of issue.keys) Reflect.deleteProperty(at(copy, issue.path) as object, key);
  }
  return copy;
}

/** A word where our schema lists others: an enum, or the enum by which the branch of a union is found. */
function isNewValue(issue: z.core.$ZodIssue, payload: unknown): boolean {
  const isListed =
    issue.code === 'invalid_value' || (issue.code === 'invalid_union' && issue.discriminator !== undefined);
  return isListed && typeof at(payload, issue.path) === 'string';
}

function at(payload: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((node, step) => Reflect.get(node as object, step), payload);
}
