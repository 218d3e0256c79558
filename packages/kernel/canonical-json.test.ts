import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { assertPayloadHash, canonicalJson, payloadHash } from './canonical-json.ts';
import { coreErrors } from './errors.ts';

function double(hex: string): number {
  const view = new DataView(new ArrayBuffer(8));
  view.setBigUint64(0, BigInt(`0x${hex}`));
  return view.getFloat64(0);
}

function shuffled(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shuffled);
  if (typeof value !== 'object' || value === null) return value;
  // fromEntries defines own properties, so a key named __proto__ stays a key.
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, item]) => [key, shuffled(item)]),
  );
}

describe('canonical JSON', () => {
  test('X-155: RFC 8785 section 3.2.2, the example object', () => {
    const input: unknown = JSON.parse(String.raw`{
      "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
      "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
      "literals": [null, true, false]
    }`);
    expect(canonicalJson(input)).toBe(
      String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`,
    );
  });

  test('X-155: RFC 8785 section 3.2.3, keys sort by UTF-16 code unit', () => {
    const input: unknown = JSON.parse(String.raw`{
      "\u20ac": "Euro Sign", "\r": "Carriage Return", "\ufb33": "Hebrew Letter Dalet With Dagesh", "1": "One",
      "\ud83d\ude00": "Emoji: Grinning Face", "\u0080": "Control", "\u00f6": "Latin Small Letter O With Diaeresis"
    }`);
    expect(Object.values(JSON.parse(canonicalJson(input)) as object)[0]).toBe('One'); // integer-like keys come first when read
    expect([...canonicalJson(input).matchAll(/:"([^"]+)"/g)].map(match => match[1])).toEqual([
      'Carriage Return',
      'One',
      'Control',
      'Latin Small Letter O With Diaeresis',
      'Euro Sign',
      'Emoji: Grinning Face',
      'Hebrew Letter Dalet With Dagesh',
    ]);
  });

  test.each([
    ['0000000000000000', '0'],
    ['8000000000000000', '0'],
    ['0000000000000001', '5e-324'],
    ['8000000000000001', '-5e-324'],
    ['7fefffffffffffff', '1.7976931348623157e+308'],
    ['ffefffffffffffff', '-1.7976931348623157e+308'],
    ['4340000000000000', '9007199254740992'],
    ['c340000000000000', '-9007199254740992'],
    ['4340000000000001', '9007199254740994'],
    ['4430000000000000', '295147905179352830000'],
    ['44b52d02c7e14af5', '9.999999999999997e+22'],
    ['44b52d02c7e14af6', '1e+23'],
    ['44b52d02c7e14af7', '1.0000000000000001e+23'],
    ['444b1ae4d6e2ef4e', '999999999999999700000'],
    ['444b1ae4d6e2ef4f', '999999999999999900000'],
    ['444b1ae4d6e2ef50', '1e+21'],
    ['3eb0c6f7a0b5ed8c', '9.999999999999997e-7'],
    ['3eb0c6f7a0b5ed8d', '0.000001'],
    ['41b3de4355555553', '333333333.3333332'],
    ['41b3de4355555554', '333333333.33333325'],
    ['41b3de4355555555', '333333333.3333333'],
    ['41b3de4355555556', '333333333.3333334'],
    ['41b3de4355555557', '333333333.33333343'],
    ['becbf647612f3696', '-0.0000033333333333333333'],
    ['43143ff3c1cb0959', '1424953923781206.2'],
  ])('X-155: RFC 8785 appendix B, the double %s is written %s', (hex, text) => {
    expect(canonicalJson(double(hex))).toBe(text);
  });

  test('control characters have their short escape or lower-case hex; everything else is itself', () => {
    expect(canonicalJson('\b\t\n\f\r"\\/\u0000\u001f\u007f\u2028😀')).toBe(
      '"\\b\\t\\n\\f\\r\\"\\\\/\\u0000\\u001f\u007f\u2028😀"',
    );
  });

  test('empty values, and a key that is called __proto__', () => {
    expect(canonicalJson([{}, [], '', Object.create(null)])).toBe('[{},[],"",{}]');
    expect(canonicalJson(JSON.parse('{"b":1,"__proto__":{"a":2}}'))).toBe('{"__proto__":{"a":2},"b":1}');
  });

  test('is a fixed point, keeps the value, and forgets the order of keys', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary' }), value => {
        const text = canonicalJson(value);
        const again: unknown = JSON.parse(text);
        expect(again).toEqual(JSON.parse(JSON.stringify(value)));
        expect(canonicalJson(again)).toBe(text);
        expect(canonicalJson(shuffled(value))).toBe(text);
      }),
    );
  });

  class Room {
    readonly number = 7;
  }
  const cycle: { self?: unknown } = {};
  cycle.self = cycle;

  test.each([
    ['NaN', { a: [Number.NaN] }, '$.a[0]'],
    ['Infinity', Number.POSITIVE_INFINITY, '$'],
    ['-Infinity', [Number.NEGATIVE_INFINITY], '$[0]'],
    ['undefined', undefined, '$'],
    ['an undefined member', { a: undefined }, '$.a'],
    ['a hole', new Array(1), '$[0]'],
    ['a bigint', { minor: 1n }, '$.minor'],
    ['a function', { f: () => 1 }, '$.f'],
    ['a symbol', [Symbol('s')], '$[0]'],
    ['a lone high surrogate', { a: 'x\ud800y' }, '$.a'],
    ['a lone low surrogate', '\udc00', '$'],
    ['a lone surrogate in a key', { '\ud800': 1 }, '$.\ufffd'],
    ['a Date', { at: new Date(0) }, '$.at'],
    ['a Map', new Map(), '$'],
    ['a class instance', { room: new Room() }, '$.room'],
    ['a boxed number', Object(1), '$'],
  ])('refuses %s and names the place', (_, value, path) => {
    try {
      canonicalJson(value);
      expect.unreachable();
    } catch (error) {
      if (!coreErrors.NOT_CANONICAL_JSON.is(error)) throw error;
      expect(error.params.path).toBe(path);
    }
  });

  test('refuses cycles and abysses instead of overflowing the stack', () => {
    const abyss: unknown = JSON.parse('['.repeat(100_000) + ']'.repeat(100_000));
    const tooDeep: unknown = JSON.parse('['.repeat(257) + ']'.repeat(257));
    for (const value of [cycle, abyss, tooDeep]) {
      expect(() => canonicalJson(value)).toThrow(expect.toSatisfy(coreErrors.NOT_CANONICAL_JSON.is));
    }
    expect(canonicalJson(JSON.parse('['.repeat(256) + ']'.repeat(256)))).toHaveLength(512);
  });
});

describe('payload hash', () => {
  test('X-155: is the lower-case SHA-256 of the canonical form', () => {
    expect(payloadHash({})).toBe('44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a');
    expect(payloadHash({ b: 1, a: 'نان' })).toBe(
      createHash('sha256').update('{"a":"نان","b":1}').digest('hex'),
    );
  });

  test('X-155: agrees with another implementation of SHA-256 for any value', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary' }), value => {
        expect(payloadHash(value)).toBe(
          createHash('sha256').update(canonicalJson(value), 'utf8').digest('hex'),
        );
      }),
    );
  });

  test('VAL-03: a body whose hash is right passes, in any order of keys', () => {
    const body = { readings: [{ unit: '°C', value: 21.5 }], device: 'dev_1' };
    assertPayloadHash({ payloadHash: payloadHash(body), device: 'dev_1', readings: body.readings });
  });

  test('VAL-04: any change of the body or of the hash is PAYLOAD_HASH_MISMATCH', () => {
    const hash = payloadHash({ value: 21.5 });
    for (const body of [
      { value: 21.6, payloadHash: hash },
      { value: 21.5, extra: 1, payloadHash: hash },
      { value: 21.5, payloadHash: hash.toUpperCase() },
      { value: 21.5, payloadHash: '' },
    ]) {
      expect(() => assertPayloadHash(body)).toThrow(expect.toSatisfy(coreErrors.PAYLOAD_HASH_MISMATCH.is));
    }
  });
});
