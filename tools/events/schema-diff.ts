import { isDeepStrictEqual } from 'node:util';
import type { JsonSchema } from '@ghasi/event-envelope/schema-uri';
import { dereference } from './dereference.ts';

/** Rules of the ledger's section 4 that a change of a schema can come under. */
export type Rule = 'REG-06' | 'REG-07' | 'REG-08' | 'REG-09' | 'REG-10' | 'REG-11' | 'REG-12';

/** One difference between two schemas of a payload. `value` is the new value of an enum. */
export type Change = {
  readonly rule: Rule;
  readonly at: string;
  readonly what: string;
  readonly value?: string;
};

/** Rules under which the version may stay (REG-06, REG-07). */
export function isAdditive({ rule }: Change): boolean {
  return rule === 'REG-06' || rule === 'REG-07';
}

/**
 * Every difference that a reader of the older schema could notice. Additive are only new optional members and new
 * values of an enum; a change of a keyword we do not know counts as a changed type, so that nothing passes unseen.
 */
export function schemaChanges(older: JsonSchema, newer: JsonSchema): Change[] {
  return changes({ older, newer, at: 'payload', roots: { older, newer }, path: [] });
}

type Comparison = {
  readonly older: JsonSchema;
  readonly newer: JsonSchema;
  readonly at: string;
  readonly roots: { readonly older: JsonSchema; readonly newer: JsonSchema };
  /** Pairs above this one: a schema that contains itself ends here. */
  readonly path: readonly (readonly [JsonSchema, JsonSchema])[];
};

/** Words for people, which bind nobody. */
const silent = new Set(['$schema', '$id', '$defs', '$ref', 'title', 'description', 'examples', 'deprecated']);

/** Ranges and patterns. */
const limits = new Set(
  `minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength pattern minItems maxItems uniqueItems
  minProperties maxProperties propertyNames`.split(/\s+/),
);

/** Keywords compared by their own function below; `default` only says what a reader may assume. */
const structural = new Set(['properties', 'required', 'items', 'additionalProperties', 'prefixItems']);
const choices = ['anyOf', 'oneOf', 'allOf'];

function changes(pair: Comparison): Change[] {
  const older = dereference(pair.older, pair.roots.older);
  const newer = dereference(pair.newer, pair.roots.newer);
  if (older === newer || pair.path.some(([a, b]) => a === older && b === newer)) return [];
  const here = { ...pair, older, newer, path: [...pair.path, [older, newer] as const] };
  const beside = pair.older.$ref !== undefined && pair.newer.$ref !== undefined ? keywordChanges(pair) : [];
  return [
    ...beside,
    ...keywordChanges(here),
    ...memberChanges(here),
    ...childChanges(here, 'items', '[]'),
    ...childChanges(here, 'additionalProperties', '{}'),
    ...choices.flatMap(word => listChanges(here, word, '')),
    ...listChanges(here, 'prefixItems', '[]'),
  ];
}

function keywordChanges({ older, newer, at }: Comparison): Change[] {
  const words = new Set([...Object.keys(older), ...Object.keys(newer)]);
  return [...words].flatMap((word): Change[] => {
    if (silent.has(word) || structural.has(word) || choices.includes(word)) return [];
    if (isDeepStrictEqual(older[word], newer[word])) return [];
    if (word === 'enum' && Array.isArray(older.enum) && Array.isArray(newer.enum))
      return enumChanges(older.enum, newer.enum, at);
    if (limits.has(word))
      return [{ rule: 'REG-08', at, what: `${word} changed: ${shown(older[word])} → ${shown(newer[word])}` }];
    if (word === 'default' && older.default === undefined)
      return [{ rule: 'REG-06', at, what: `has the default ${shown(newer.default)} now` }];
    return [{ rule: 'REG-11', at, what: `${word} changed: ${shown(older[word])} → ${shown(newer[word])}` }];
  });
}

function enumChanges(older: readonly unknown[], newer: readonly unknown[], at: string): Change[] {
  const gone = older.filter(value => !newer.includes(value));
  const added = newer.filter(value => !older.includes(value));
  return [
    ...gone.map((value): Change => ({ rule: 'REG-08', at, what: `may no longer be ${shown(value)}` })),
    ...added.map(
      (value): Change => ({ rule: 'REG-07', at, what: `may be ${shown(value)} now`, value: String(value) }),
    ),
  ];
}

type Members = Readonly<Record<string, JsonSchema>>;

function memberChanges(pair: Comparison): Change[] {
  const [before, after] = [membersOf(pair.older), membersOf(pair.newer)];
  const [required, stillRequired] = [requiredOf(pair.older), requiredOf(pair.newer)];
  const removed = Object.keys(before).filter(name => !Object.hasOwn(after, name));
  const added = new Set(Object.keys(after).filter(name => !Object.hasOwn(before, name)));
  const found: Change[] = [];
  for (const name of removed) {
    // the same schema under a new name is the old member renamed
    const heir = [...added].find(other => isDeepStrictEqual(before[name], after[other]));
    if (heir === undefined) found.push({ rule: 'REG-10', at: `${pair.at}.${name}`, what: 'was removed' });
    else found.push({ rule: 'REG-12', at: `${pair.at}.${name}`, what: `was renamed to ${heir}` });
    if (heir !== undefined) added.delete(heir);
  }
  for (const name of added) {
    const isOptional = !stillRequired.has(name);
    const what = isOptional ? 'is new and optional' : 'is new and required';
    found.push({ rule: isOptional ? 'REG-06' : 'REG-09', at: `${pair.at}.${name}`, what });
  }
  for (const [name, older] of Object.entries(before)) {
    const newer = after[name];
    if (newer === undefined || !Object.hasOwn(after, name)) continue;
    const at = `${pair.at}.${name}`;
    if (!required.has(name) && stillRequired.has(name))
      found.push({ rule: 'REG-09', at, what: 'was optional and is required' });
    if (required.has(name) && !stillRequired.has(name))
      found.push({ rule: 'REG-11', at, what: 'was always there and may be missing' });
    found.push(...changes({ ...pair, older, newer, at }));
  }
  return found;
}

/** A keyword that holds one schema, or true, or false. */
function childChanges(pair: Comparison, word: string, step: string): Change[] {
  const [older, newer] = [pair.older[word], pair.newer[word]];
  const at = `${pair.at}${step}`;
  if (isSchema(older) && isSchema(newer)) return changes({ ...pair, older, newer, at });
  return isDeepStrictEqual(older, newer) ? [] : [{ rule: 'REG-11', at, what: `${word} changed` }];
}

/** A keyword that holds a list of schemas: compared one by one; another length is another type. */
function listChanges(pair: Comparison, word: string, step: string): Change[] {
  const [older, newer] = [pair.older[word], pair.newer[word]];
  if (older === undefined && newer === undefined) return [];
  if (!Array.isArray(older) || !Array.isArray(newer) || older.length !== newer.length)
    return [{ rule: 'REG-11', at: pair.at, what: `${word} has other branches` }];
  return older.flatMap((branch, index) =>
    changes({
      ...pair,
      older: branch,
      newer: newer[index],
      at: step === '' ? pair.at : `${pair.at}[${index}]`,
    }),
  );
}

function membersOf(schema: JsonSchema): Members {
  return (schema.properties ?? {}) as Members;
}

function requiredOf(schema: JsonSchema): Set<unknown> {
  return new Set((schema.required ?? []) as unknown[]);
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function shown(value: unknown): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(value);
  return text.length <= 80 ? text : `${text.slice(0, 77)}…`;
}
