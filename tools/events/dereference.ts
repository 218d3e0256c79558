import type { JsonSchema } from '@ghasi/event-envelope/schema-uri';

/** The schema a `$ref` inside one document leads to, or the schema itself; throws on a reference that leads nowhere. */
export function dereference(schema: JsonSchema, root: JsonSchema): JsonSchema {
  let at = schema;
  // a chain of references cannot be longer than this without being a circle
  for (let steps = 0; typeof at.$ref === 'string'; steps += 1) {
    if (steps > 100) throw new Error(`$ref ${at.$ref} leads in a circle`);
    at = follow(at.$ref, root);
  }
  return at;
}

function follow(reference: string, root: JsonSchema): JsonSchema {
  if (!reference.startsWith('#')) throw new Error(`$ref ${reference} leaves its document`);
  const steps = reference
    .slice(1)
    .split('/')
    .slice(1)
    .map(step => decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~'));
  const found = steps.reduce<unknown>(
    (node, step) => (node as Record<string, unknown> | undefined)?.[step],
    root,
  );
  if (typeof found !== 'object' || found === null) throw new Error(`$ref ${reference} leads nowhere`);
  return found as JsonSchema;
}
