type Json = Readonly<Record<string, unknown>>;

const constraints = ['type', '$ref', 'anyOf', 'oneOf', 'allOf', 'enum', 'const', 'not'];
const byName = ['properties', '$defs'];
const inList = ['anyOf', 'oneOf', 'allOf', 'prefixItems'];

/** Where a payload's JSON Schema says nothing: loose objects, empty objects, any and unknown, at any depth. */
export function schemaHoles(schema: Json, place: string): string[] {
  const found = holeAt(schema, place);
  for (const word of byName) {
    for (const [key, child] of Object.entries((schema[word] ?? {}) as Json))
      found.push(...into(child, `${place}.${key}`));
  }
  for (const word of inList) {
    for (const child of (schema[word] ?? []) as unknown[]) found.push(...into(child, place));
  }
  found.push(...into(schema.items, `${place}[]`));
  if (isRecord(schema)) found.push(...into(schema.additionalProperties, `${place}{}`));
  return found;
}

function holeAt(schema: Json, place: string): string[] {
  if (!constraints.some(word => word in schema)) return [`${place} may be anything`];
  if (schema.type !== 'object' || isRecord(schema)) return [];
  if (schema.additionalProperties !== false) return [`${place} is not strict`];
  return Object.keys((schema.properties ?? {}) as Json).length === 0 ? [`${place} is an empty object`] : [];
}

/** `z.record`: any key on purpose, with a schema for the values. */
function isRecord(schema: Json): boolean {
  return schema.propertyNames !== undefined && typeof schema.additionalProperties === 'object';
}

function into(child: unknown, place: string): string[] {
  return typeof child === 'object' && child !== null ? schemaHoles(child as Json, place) : [];
}
