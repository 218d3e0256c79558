import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { additive, breaking, edited, schemas } from '../fixtures/schema-edits.ts';
import { isAdditive, schemaChanges } from './schema-diff.ts';

const json = (schema: z.ZodType) => JSON.parse(JSON.stringify(z.toJSONSchema(schema, { io: 'input' })));
const base = z.strictObject({
  id: z.string(),
  note: z.string().max(20).optional(),
  grams: z.int().min(0).max(100),
  kind: z.enum(['soil', 'water']),
  place: z.strictObject({ lat: z.number(), name: z.string().nullable() }),
  lines: z.array(z.strictObject({ n: z.int() })),
  rooms: z.record(z.string(), z.strictObject({ n: z.int() })),
});

/** Rules and places of what differs between `base` and `base` with some members changed. */
function rules(change: z.core.$ZodLooseShape): string[] {
  const newer = z.strictObject({ ...base.shape, ...change });
  return schemaChanges(json(base), json(newer)).map(({ rule, at }) => `${rule} ${at}`);
}

/** The same without one member. */
function without(name: keyof typeof base.shape, change: z.core.$ZodLooseShape = {}): string[] {
  const { [name]: _gone, ...rest } = base.shape;
  return schemaChanges(json(base), json(z.strictObject({ ...rest, ...change }))).map(
    ({ rule, at }) => `${rule} ${at}`,
  );
}

describe('allowed in place', () => {
  test('nothing changed, nothing found', () => {
    expect(rules({})).toEqual([]);
    expect(rules({ id: z.string().describe('the sample') })).toEqual([]);
  });

  test('REG-06: an optional member, with a default or without, at any depth', () => {
    expect(rules({ mood: z.string().default('good') })).toEqual(['REG-06 payload.mood']);
    expect(rules({ mood: z.string().optional() })).toEqual(['REG-06 payload.mood']);
    const place = base.shape.place.extend({ alt: z.number().optional() });
    expect(rules({ place })).toEqual(['REG-06 payload.place.alt']);
    const line = z.strictObject({ n: z.int(), unit: z.string().default('g') });
    expect(rules({ lines: z.array(line) })).toEqual(['REG-06 payload.lines[].unit']);
    expect(rules({ rooms: z.record(z.string(), line) })).toEqual(['REG-06 payload.rooms{}.unit']);
  });

  test('REG-07: a value of an enum, by name', () => {
    const newer = z.strictObject({ ...base.shape, kind: z.enum(['soil', 'water', 'air']) });
    expect(schemaChanges(json(base), json(newer))).toEqual([
      { rule: 'REG-07', at: 'payload.kind', what: 'may be "air" now', value: 'air' },
    ]);
  });
});

describe('needs a new version', () => {
  test('REG-09: a member that becomes required, or is new and required', () => {
    expect(rules({ note: z.string().max(20) })).toEqual(['REG-09 payload.note']);
    expect(rules({ mood: z.string() })).toEqual(['REG-09 payload.mood']);
  });

  test('REG-10: a member that is gone', () => {
    expect(without('grams')).toEqual(['REG-10 payload.grams']);
    expect(rules({ place: z.strictObject({ lat: z.number() }) })).toEqual(['REG-10 payload.place.name']);
  });

  test('REG-11: another type, null added or taken away, a member that may now be missing', () => {
    expect(rules({ id: z.int() })).toContain('REG-11 payload.id');
    expect(rules({ id: z.string().nullable() })).toContain('REG-11 payload.id');
    expect(rules({ grams: z.number().min(0).max(100) })).toEqual(['REG-11 payload.grams']);
    expect(rules({ id: z.string().optional() })).toEqual(['REG-11 payload.id']);
    expect(rules({ id: z.array(z.string()) })).toContain('REG-11 payload.id');
    expect(rules({ lines: z.array(z.int()) })).toContain('REG-11 payload.lines[]');
    expect(rules({ kind: z.string() })).toEqual(['REG-11 payload.kind']);
  });

  test('REG-12: the same schema under another name', () => {
    expect(without('grams', { weight: base.shape.grams })).toEqual(['REG-12 payload.grams']);
    expect(without('note', { remark: base.shape.note })).toEqual(['REG-12 payload.note']);
  });

  test.each([
    ['a lower maximum', { grams: z.int().min(0).max(99) }, 'payload.grams'],
    ['a higher maximum', { grams: z.int().min(0).max(101) }, 'payload.grams'],
    ['a new pattern', { id: z.string().regex(/^s/) }, 'payload.id'],
    ['a longer text', { note: z.string().max(21).optional() }, 'payload.note'],
    ['fewer items', { lines: z.array(z.strictObject({ n: z.int() })).max(3) }, 'payload.lines'],
    ['a value of an enum taken away', { kind: z.enum(['soil']) }, 'payload.kind'],
  ])('REG-08: %s', (_what, change, at) => {
    expect(rules(change)).toEqual([`REG-08 ${at}`]);
  });

  test('REG-11: a union with other branches, and a branch that changed', () => {
    const union = (...kinds: [string, z.ZodType][]) =>
      z.strictObject({
        by: z.discriminatedUnion(
          'kind',
          kinds.map(([kind, value]) => z.strictObject({ kind: z.literal(kind), value })) as never,
        ),
      });
    const older = json(union(['a', z.string()], ['b', z.int()]));
    expect(schemaChanges(older, json(union(['a', z.string()], ['b', z.int()])))).toEqual([]);
    const wider = schemaChanges(older, json(union(['a', z.string()], ['b', z.int()], ['c', z.int()])));
    expect(wider.map(({ rule }) => rule)).toEqual(['REG-11']);
    const other = schemaChanges(older, json(union(['a', z.string()], ['b', z.string()])));
    expect(other.every(change => isAdditive(change))).toBe(false);
  });

  test('a keyword nobody knows is not overlooked', () => {
    const [change] = schemaChanges({ type: 'string' }, { type: 'string', contentEncoding: 'base64' });
    expect(change).toMatchObject({ rule: 'REG-11', what: 'contentEncoding changed: nothing → "base64"' });
  });
});

describe('schemas that contain themselves', () => {
  const tree = (value: z.ZodType) => {
    const node: z.ZodType = z.strictObject({ value, children: z.array(z.lazy(() => node)) });
    return json(z.strictObject({ root: node }));
  };

  test('are compared to the end, once', () => {
    expect(schemaChanges(tree(z.string()), tree(z.string()))).toEqual([]);
    const found = schemaChanges(tree(z.string()), tree(z.int().min(1).max(5)));
    expect(found.some(change => !isAdditive(change))).toBe(true);
  });

  test('a reference that leads nowhere is said so', () => {
    expect(() => schemaChanges({ $ref: '#/$defs/gone' }, { type: 'string' })).toThrow('leads nowhere');
    expect(() => schemaChanges({ $ref: 'https://x' }, { type: 'string' })).toThrow('leaves its document');
  });
});

describe('laws', () => {
  test('REG-06, REG-07, REG-18, PATH-04: whatever is added to whatever schema, it stays additive', () => {
    fc.assert(
      fc.property(schemas, fc.array(additive, { minLength: 1, maxLength: 4 }), (schema, edits) => {
        const found = schemaChanges(schema, edited(schema, edits));
        expect(found.filter(change => !isAdditive(change))).toEqual([]);
        expect(found.length).toBeGreaterThan(0);
      }),
    );
  });

  test('REG-08..12, REG-18, PATH-04: whatever is broken in whatever schema, it is found under its rule', () => {
    fc.assert(
      fc.property(schemas, breaking, (schema, edit) => {
        const found = schemaChanges(schema, edited(schema, [edit]));
        expect(found.filter(change => !isAdditive(change)).map(({ rule }) => rule)).toContain(edit.rule);
      }),
    );
  });

  test('REG-19: a break is found beside any number of additions', () => {
    fc.assert(
      fc.property(schemas, fc.array(additive, { maxLength: 3 }), breaking, (schema, additions, edit) => {
        const found = schemaChanges(schema, edited(edited(schema, [edit]), additions));
        expect(found.some(change => !isAdditive(change))).toBe(true);
      }),
    );
  });

  test('a schema never differs from itself', () => {
    fc.assert(
      fc.property(schemas, schema => {
        expect(schemaChanges(schema, structuredClone(schema))).toEqual([]);
      }),
    );
  });
});
