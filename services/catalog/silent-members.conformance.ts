type Json = Readonly<Record<string, unknown>>;

/**
 * Members of a JSON Schema that say nothing, at any depth: `{}` and `true`, no type, an object that is open or empty, a list
 * of anything. A record says what its values are. Apart from what a registration refuses, so that each can find the other wrong.
 */
export function silentMembers(schema: unknown, at = 'payload'): string[] {
  if (typeof schema !== 'object' || schema === null) return [`${at} is no schema`];
  const { $ref, $defs = {}, anyOf, oneOf, allOf, ...own } = schema as Json;
  const choices = [anyOf, oneOf, allOf].filter(Array.isArray).flat();
  const inside = [
    ...Object.entries($defs as Json).flatMap(([name, child]) => silentMembers(child, `${at}.${name}`)),
    ...choices.flatMap(child => silentMembers(child, at)),
  ];
  const isElsewhere = typeof $ref === 'string' || choices.length > 0;
  return [...inside, ...(isElsewhere && own.type === undefined ? [] : silentHere(own, at))];
}

function silentHere({ type, ...schema }: Json, at: string): string[] {
  if ('const' in schema || Array.isArray(schema.enum)) return [];
  const types = Array.isArray(type) ? type : [type];
  if (types.length === 0 || !types.every(one => typeof one === 'string')) return [`${at} has no type`];
  return [
    ...(types.includes('object') ? silentInObject(schema, at) : []),
    ...(types.includes('array') ? silentInList(schema, at) : []),
  ];
}

function silentInObject({ properties = {}, additionalProperties }: Json, at: string): string[] {
  const members = Object.entries(properties as Json);
  const inside = members.flatMap(([name, child]) => silentMembers(child, `${at}.${name}`));
  if (typeof additionalProperties === 'object')
    return [...inside, ...silentMembers(additionalProperties, `${at}{}`)];
  if (additionalProperties !== false) return [...inside, `${at} is open`];
  return members.length === 0 ? [`${at} is empty`] : inside;
}

function silentInList({ items, prefixItems = [] }: Json, at: string): string[] {
  const places = (prefixItems as unknown[]).flatMap((child, n) => silentMembers(child, `${at}[${n}]`));
  const isClosed = places.length === 0 && (prefixItems as unknown[]).length > 0 && items === false;
  return [...places, ...(isClosed ? [] : silentMembers(items, `${at}[]`))];
}
