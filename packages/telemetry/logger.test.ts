import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Canary, canaryInText, canaryValue, secretKey } from './canaries.fixture.ts';
import { createLogger, type Logger, redactLine } from './logger.ts';

function capture(name = 'test') {
  const lines: string[] = [];
  const log = createLogger({ name, level: 'trace', destination: { write: line => void lines.push(line) } });
  return { log, lines, last: () => JSON.parse(lines.at(-1) ?? '') as Record<string, unknown> };
}

describe('the line', () => {
  test('is one JSON object with level, time, name and message', () => {
    const { log, lines, last } = capture('iam-service');
    log.warn({ attempts: 3 }, 'sign-in refused');
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/^\{.*\}\n$/);
    expect(last()).toMatchObject({ level: 'warn', name: 'iam-service', attempts: 3, msg: 'sign-in refused' });
    expect(last().time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  test('safety-39: a message cannot forge a second line', () => {
    const { log, lines, last } = capture();
    log.info('hello\n{"level":"fatal","msg":"forged"}\u001b[31m');
    expect(lines[0]?.indexOf('\n')).toBe((lines[0]?.length ?? 0) - 1);
    expect(last().msg).toBe('hello\\n{"level":"fatal","msg":"forged"}\\u001b[31m');
  });

  test('carries errors with type, code, frames and causes, also inside lists', () => {
    const { log, last } = capture();
    const cause = Object.assign(new TypeError('socket closed'), { code: 'ECONNRESET' });
    log.error({ results: [{ reason: new Error('first failed', { cause }) }] }, 'batch failed');
    const [{ reason }] = last().results as [{ reason: Record<string, unknown> }];
    expect(reason).toMatchObject({ type: 'Error', message: 'first failed' });
    expect(reason.cause).toMatchObject({ type: 'TypeError', message: 'socket closed', code: 'ECONNRESET' });
    expect(reason.stack).toEqual(expect.arrayContaining([expect.stringMatching(/^at .*logger\.test\.ts/)]));
  });

  test('carries bigints, maps, sets and bytes', () => {
    const { log, last } = capture();
    log.info({
      minor: 2n ** 62n,
      seen: new Set([1]),
      by: new Map([['a', 1n]]),
      raw: Buffer.from('secret text'),
    });
    expect(last()).toMatchObject({
      minor: '4611686018427387904',
      seen: [1],
      by: [['a', '1']],
      raw: '[11 bytes]',
    });
  });

  test('survives circles, getters that throw, unusual keys and huge values', () => {
    const { log, lines, last } = capture();
    const circle: Record<string, unknown> = { room: 101 };
    circle.self = circle;
    log.info(circle, 'circle');
    expect(last()).toMatchObject({ room: 101, msg: 'circle' });
    log.info({ get broken() { throw new Error('boom'); } }, 'getter'); // biome-ignore format: one call per line
    expect(last()).toMatchObject({ reason: 'boom' });
    log.info(JSON.parse('{"__proto__":{"polluted":true},"fine":1}'), 'proto');
    expect(last()).toMatchObject({ fine: 1 });
    expect(lines.at(-1)).not.toContain('polluted');
    log.info({ list: Array.from({ length: 5_000 }, (_, i) => ({ i })) }, 'huge');
    expect((last().list as unknown[]).at(-1)).toBe('[4900 more]');
    expect(lines).toHaveLength(4);
  });

  test('a line that is not JSON is replaced and not passed on', () => {
    expect(JSON.parse(redactLine('ali@hotel.af {'))).toMatchObject({ level: 'error' });
    expect(redactLine('ali@hotel.af {')).not.toContain('ali');
  });
});

describe('safety-45: personal data and secrets', () => {
  test('a database error does not repeat the values of its statement', () => {
    const { log, lines } = capture();
    const error = Object.assign(
      new Error('Failed query: insert into guests values ($1)\nparams: canaryvalue,2'),
      {
        params: ['canaryvalue'],
        detail: 'Key (name)=(canaryvalue) already exists.',
        where: "unnamed portal parameter $1 = 'canaryvalue'",
      },
    );
    log.error(error);
    log.error({ err: error }, 'insert failed');
    log.error({ failure: { inner: error } }, 'insert failed');
    expect(lines.join('')).not.toContain('canaryvalue');
    expect(lines[0]).toContain('Failed query');
  });

  test('the fact that something is set stays visible', () => {
    const { log, last } = capture();
    log.info({ email: null, emailVerified: true, tokenType: 'device', token: 'x' });
    expect(last()).toMatchObject({
      email: null,
      emailVerified: true,
      tokenType: 'device',
      token: '[redacted]',
    });
  });

  test('raw header lists, entries and form fields are known by their names', () => {
    const { log, lines } = capture();
    log.info({
      rawHeaders: ['Accept', 'text/html', 'X-Api-Key', 'canary1'],
      entries: [['password', 'canary2']],
    });
    log.info({ fields: [{ name: 'password', value: 'canary3' }], headers: { 'set-cookie': ['canary4'] } });
    expect(lines.join('')).not.toContain('canary');
    expect(lines.join('')).toContain('text/html');
  });

  type Route = (log: Logger, value: unknown, text: string) => void;
  const routes: Record<string, Route> = {
    'a field': (log, value) => log.info({ value }),
    'a nested field': (log, value) => log.info({ a: { b: [{ c: value }] } }, 'nested'),
    'a message': (log, _, text) => log.info(text),
    'a format argument': (log, value, text) =>
      log.info('%s and %j and %o', text, value as object, value as object),
    'a child': (log, value) => log.child({ value }).info('from a child'),
    'a grandchild': (log, value, text) =>
      log
        .child({ a: 1 })
        .child({ [text]: value }, { msgPrefix: text })
        .info('x'),
    'late bindings': (log, value) => {
      const child = log.child({});
      child.setBindings({ value });
      child.info('bound');
    },
    'a serializer of a child': (log, value) =>
      log.child({}, { serializers: { request: () => ({ raw: value }) } }).info({ request: 1 }),
    'a formatter of a child': (log, value) =>
      log.child({}, { formatters: { log: fields => ({ ...fields, value }) } }).info({ a: 1 }),
    'a toJSON': (log, value) => log.info({ thing: { toJSON: () => value } }),
    'a map and a set': (log, value, text) =>
      log.info({ map: new Map([[text, value]]), set: new Set([value]) }),
    'an error message': (log, _, text) => log.error(new Error(text)),
    'an error property': (log, value) =>
      log.error({ err: Object.assign(new Error('failed'), { extra: value }) }),
    'a cause': (log, _, text) =>
      log.error(new Error('failed', { cause: new Error('inner', { cause: text }) })),
    'an aggregate': (log, _, text) => log.error({ all: new AggregateError([new Error(text)], text) }),
    'an error name': (log, _, text) => log.error(Object.assign(new Error('failed'), { name: text })),
  };

  function expectNothingOf(canary: Canary, lines: readonly string[]) {
    expect(lines.length).toBeGreaterThan(0);
    for (const line of lines) {
      expect(JSON.parse(line)).toBeTypeOf('object');
      for (const trace of canary.traces) expect(line).not.toContain(trace);
    }
  }

  test.each(Object.entries(routes))('what a text gives away never leaves through %s', (_name, write) => {
    fc.assert(
      fc.property(canaryInText, fc.string(), (canary, around) => {
        const { log, lines } = capture();
        const text = `${around} ${canary.text} ${around}`;
        write(log, text, text);
        expectNothingOf(canary, lines);
      }),
    );
  });

  test.each(Object.entries(routes))(
    'what stands under a secret key never leaves through %s',
    (_name, write) => {
      fc.assert(
        fc.property(secretKey, canaryValue, (key, value) => {
          const { log, lines } = capture();
          write(log, { [key]: value, list: [{ [key]: [value, { inner: value }] }] }, `${key}: ${value}`);
          expectNothingOf({ text: value, traces: [value] }, lines);
        }),
      );
    },
  );

  const { tree } = fc.letrec<{ tree: unknown; leaf: unknown }>(tie => ({
    leaf: fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.bigInt(), fc.constant('canary-goes-here')),
    tree: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      tie('leaf'),
      fc.array(tie('tree'), { maxLength: 4 }),
      fc.dictionary(fc.string({ maxLength: 8 }), tie('tree'), { maxKeys: 4 }),
      fc.tuple(secretKey, fc.constant('canary-goes-here')).map(([key, value]) => ({ [key]: value })),
      fc.tuple(fc.string(), tie('tree')).map(([message, cause]) => new Error(message, { cause })),
      fc.tuple(fc.string(), tie('tree')).map(([key, value]) => new Map([[key, value]])),
    ),
  }));

  test('no random nesting of objects, lists, maps and errors leaks a canary', () => {
    fc.assert(
      fc.property(tree, canaryInText, (value, canary) => {
        const { log, lines } = capture();
        log.info({ value: plant(value, canary.text) }, 'random');
        expectNothingOf(canary, lines);
      }),
      { numRuns: 400 },
    );
  });
});

/** Puts the canary where the random tree has its mark. */
function plant(value: unknown, canary: string): unknown {
  if (value === 'canary-goes-here') return canary;
  if (Array.isArray(value)) return value.map(item => plant(item, canary));
  if (value instanceof Error)
    return new Error(`${value.message} ${canary}`, { cause: plant(value.cause, canary) });
  if (value instanceof Map)
    return new Map([...value].map(([key, item]) => [`${key} ${canary}`, plant(item, canary)]));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plant(item, canary)]));
}
