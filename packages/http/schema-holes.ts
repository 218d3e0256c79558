import { z } from 'zod';

type Json = { readonly [key: string]: unknown };

/**
 * Where an input schema would let unknown keys pass (ledger VAL-01): objects that are not strict, at any depth.
 * Returns their places, e.g. `body.guest`.
 */
export function unknownKeyHoles(schema: z.ZodType, name: string): string[] {
  return walk(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }), name, node => {
    if (node.type !== 'object' || node.additionalProperties === false) return false;
    return !isRecord(node);
  });
}

/**
 * Where a reply schema would let a field leave that nobody declared (safety rule 12): loose objects, `any`, and
 * transforms whose result has no schema. Returns their places, e.g. `201.guest`.
 */
export function leakHoles(schema: z.ZodType, name: string): string[] {
  return walk(z.toJSONSchema(schema, { io: 'output', unrepresentable: 'any' }), name, node => {
    if (node.type === 'object') return node.additionalProperties !== false && !isRecord(node);
    return constrains(node) === false;
  });
}

/** `z.record` allows any key on purpose, with a schema for its values. */
function isRecord(node: Json): boolean {
  const values = node.additionalProperties;
  return (
    node.propertyNames !== undefined &&
    typeof values === 'object' &&
    values !== null &&
    constrains(values as Json)
  );
}

const constraints = ['type', '$ref', 'anyOf', 'oneOf', 'allOf', 'enum', 'const', 'not'];

function constrains(node: Json): boolean {
  return constraints.some(word => word in node);
}

const keywordsWithSchemas = ['properties', '$defs', 'patternProperties'];
const keywordsWithSchema = ['items', 'additionalProperties', 'not'];
const keywordsWithList = ['anyOf', 'oneOf', 'allOf', 'prefixItems'];

function walk(node: Json, place: string, isHole: (node: Json) => boolean): string[] {
  const found = isHole(node) ? [place] : [];
  const into = (child: unknown, name: string) => {
    if (typeof child === 'object' && child !== null) found.push(...walk(child as Json, name, isHole));
  };
  for (const word of keywordsWithSchemas) {
    for (const [key, child] of Object.entries(node[word] ?? {})) into(child, `${place}.${key}`);
  }
  for (const word of keywordsWithSchema) {
    // `additionalProperties: {}` of a loose object is the object's own hole, reported once.
    if (word === 'additionalProperties' && !isRecord(node)) continue;
    into(node[word], `${place}[]`);
  }
  for (const word of keywordsWithList) {
    for (const child of (node[word] as unknown[] | undefined) ?? []) into(child, place);
  }
  return found;
}
