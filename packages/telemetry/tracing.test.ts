import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isUlid, type ULID } from '@ghasi/domain-primitives/uuid';
import { trace } from '@opentelemetry/api';
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { canaryInText, canaryValue, secretKey } from './canaries.fixture.ts';
import { createLogger } from './logger.ts';
import { memoryExporter } from './memory-exporter.ts';
import {
  correlationOf,
  formatTraceparent,
  newTraceId,
  parseTraceparent,
  traceIdOf,
} from './trace-context.ts';
import {
  correlationId,
  inTraceOf,
  isTracing,
  newCorrelation,
  recordSpan,
  startTracing,
  traceOrigin,
  traceparent,
  withSpan,
} from './tracing.ts';

let stop: (() => Promise<void>) | undefined;

function record() {
  const memory = memoryExporter();
  const tracing = startTracing({ service: 'test-service', exporter: memory.exporter });
  stop = () => tracing.stop();
  return memory;
}

afterEach(async () => {
  await stop?.();
  stop = undefined;
});

const hex = (length: number) =>
  fc
    .string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: length, maxLength: length })
    .filter(text => /[^0]/.test(text));

describe('correlation id and trace id', () => {
  test('OBS-01: every trace id is one ULID and comes back', () => {
    fc.assert(
      fc.property(hex(32), traceId => {
        const ulid = correlationOf(traceId);
        expect(isUlid(ulid)).toBe(true);
        expect(traceIdOf(ulid)).toBe(traceId);
      }),
    );
  });

  test('OBS-01: a new correlation id sorts by time and is never used twice', () => {
    const [early, late] = [correlationOf(newTraceId(1_000)), correlationOf(newTraceId(2_000))];
    expect(early < late).toBe(true);
    expect(new Set(Array.from({ length: 1_000 }, newCorrelation)).size).toBe(1_000);
  });

  test('OBS-01: a span has the trace id that the correlation id says, recorded or not', async () => {
    const wanted = newCorrelation();
    const unrecorded = await inTraceOf({ correlationId: wanted }, () =>
      withSpan('a', {}, () => correlationId()),
    );
    expect(unrecorded).toBe(wanted);
    const memory = record();
    await inTraceOf({ correlationId: wanted }, () => withSpan('b', {}, () => correlationId()));
    expect(memory.spans()[0]).toMatchObject({
      name: 'b',
      traceId: traceIdOf(wanted),
      parentSpanId: undefined,
    });
  });

  test('a correlation id that is no ULID, or all zeros, is refused', () => {
    for (const wrong of ['', 'rsv_1', '0'.repeat(26), 'Z'.repeat(26)]) {
      expect(() => inTraceOf({ correlationId: wrong as ULID }, () => 1)).toThrow(
        /MALFORMED_ID|correlation|ULID/i,
      );
    }
  });

  test('outside every trace there is no traceparent, and each correlation id is new', () => {
    expect(traceparent()).toBeUndefined();
    expect(correlationId()).not.toBe(correlationId());
  });
});

describe('traceparent', () => {
  test('X-024: what is written is read back', () => {
    fc.assert(
      fc.property(hex(32), hex(16), fc.boolean(), (traceId, spanId, sampled) => {
        const scope = { traceId, spanId, sampled, remote: true };
        expect(parseTraceparent(formatTraceparent(scope))).toEqual(scope);
      }),
    );
  });

  const trace1 = '0af7651916cd43dd8448eb211c80319c';
  const span1 = 'b7ad6b7169203331';

  test.each([
    '',
    'nonsense',
    `00-${'0'.repeat(32)}-${span1}-01`,
    `00-${trace1}-${'0'.repeat(16)}-01`,
    `ff-${trace1}-${span1}-01`,
    `00-${trace1}-${span1}-01-more`,
    `00-${trace1.toUpperCase()}-${span1}-01`,
    `00-${trace1}-${span1}`,
    `00-${trace1}-${span1}-01\r\nX-Evil: 1`,
  ])('X-024: the malformed header "%s" starts a new trace', header => {
    expect(parseTraceparent(header)).toBeUndefined();
    expect(inTraceOf(header, () => traceparent())).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
    expect(inTraceOf(header, () => traceparent())).not.toContain(trace1);
  });

  test('a later version with more fields is read as version 00', () => {
    expect(parseTraceparent(`01-${trace1}-${span1}-01-more`)).toMatchObject({
      traceId: trace1,
      spanId: span1,
    });
  });

  test('X-024: work inside a received traceparent sends on the same trace with its own span', async () => {
    const memory = record();
    const sent = await inTraceOf(`00-${trace1}-${span1}-01`, () =>
      withSpan('handle', {}, () => traceparent()),
    );
    const [span] = memory.spans();
    expect(span).toMatchObject({ traceId: trace1, parentSpanId: span1 });
    expect(sent).toBe(`00-${trace1}-${span?.spanId}-01`);
  });

  test('a caller that does not sample is not recorded, and says so onwards', async () => {
    const memory = record();
    const sent = await inTraceOf(`00-${trace1}-${span1}-00`, () =>
      withSpan('handle', {}, () => traceparent()),
    );
    expect(sent).toMatch(/-00$/);
    expect(memory.spans()).toEqual([]);
  });
});

describe('spans', () => {
  test('OBS-03: everything awaited inside a span is one trace, also in parallel', async () => {
    const memory = record();
    await withSpan('booking', {}, async () => {
      await Promise.all(['inventory', 'payment'].map(name => withSpan(name, {}, async () => {})));
    });
    const [booking] = memory.spans().filter(span => span.name === 'booking');
    const children = memory.spans().filter(span => span.name !== 'booking');
    expect(children.map(span => span.parentSpanId)).toEqual([booking?.spanId, booking?.spanId]);
    expect(new Set(memory.spans().map(span => span.traceId)).size).toBe(1);
  });

  test('OBS-02, X-025: a consumer is a child of the producer in the same trace and links to the publish span', async () => {
    const memory = record();
    const event = await withSpan('hold room', {}, () => ({
      correlationId: correlationId(),
      traceparent: traceparent(),
    }));
    const published = await inTraceOf(event, () =>
      withSpan({ name: 'publish', kind: 'producer' }, {}, () => traceparent() ?? ''),
    );
    await inTraceOf(event, () =>
      withSpan({ name: 'consume', kind: 'consumer', links: [published] }, {}, () => {}),
    );
    const [producer, publish, consumer] = memory.spans();
    expect(consumer).toMatchObject({
      kind: 'consumer',
      traceId: producer?.traceId,
      parentSpanId: producer?.spanId,
      links: [publish?.spanId],
    });
  });

  test('OBS-02: a wait that is over becomes a span with its own times, id and links', async () => {
    const memory = record();
    const origin = await withSpan('append', {}, traceOrigin);
    const [start, end] = [new Date('2026-03-21T08:00:00.000Z'), new Date('2026-03-21T08:00:02.500Z')];
    const spanId = 'a0b1c2d3e4f50617';
    recordSpan({ name: 'outbox wait', kind: 'producer', start, end, parent: origin, spanId });
    recordSpan({ name: 'broker wait', start, end, parent: origin.traceparent, links: [origin.traceparent] });
    const [append, outboxWait, brokerWait] = memory.spans();
    expect(outboxWait).toMatchObject({
      name: 'outbox wait',
      kind: 'producer',
      traceId: append?.traceId,
      parentSpanId: append?.spanId,
      spanId,
      start: start.getTime(),
      end: end.getTime(),
    });
    expect(brokerWait).toMatchObject({ parentSpanId: append?.spanId, links: [append?.spanId] });
    expect(brokerWait?.spanId).not.toBe(spanId);
  });

  test('OBS-02: a wait never ends before it begins, whatever two clocks say', () => {
    const memory = record();
    const start = new Date('2026-03-21T08:00:02.000Z');
    recordSpan({ name: 'wait', start, end: new Date(0), parent: undefined });
    expect(memory.spans()[0]).toMatchObject({ start: start.getTime(), end: start.getTime() });
  });

  test('a past span of a trace that is not sampled, and any while nothing is recorded, is left out', () => {
    const past = { name: 'wait', start: new Date(0), end: new Date(1) };
    recordSpan({ ...past, parent: undefined });
    const memory = record();
    recordSpan({ ...past, parent: `00-${newTraceId()}-b7ad6b7169203331-00` });
    expect(memory.spans()).toEqual([]);
  });

  test('X-024: a span that is not recorded leaves the caller its place as parent', async () => {
    const sent = `00-${newTraceId()}-b7ad6b7169203331-01`;
    expect(isTracing()).toBe(false);
    expect(await inTraceOf(sent, () => withSpan('work', {}, () => traceparent()))).toBe(sent);
  });

  test('X-024: events of one transaction get one origin, inside a trace and outside', () => {
    const outside = traceOrigin();
    expect(parseTraceparent(outside.traceparent)?.traceId).toBe(traceIdOf(outside.correlationId));
    const inside = inTraceOf(outside, traceOrigin);
    expect(inside).toEqual(outside);
  });

  test('ENV-09: a parent from another trace does not change the correlation id', () => {
    const wanted = newCorrelation();
    const foreign = formatTraceparent({ traceId: newTraceId(), sampled: true, remote: true });
    expect(inTraceOf({ correlationId: wanted, traceparent: foreign }, correlationId)).toBe(wanted);
  });

  test('a throw marks the span and reaches the caller', async () => {
    const memory = record();
    const failing = withSpan('fails', {}, () => {
      throw new TypeError('no room');
    });
    await expect(failing).rejects.toThrow('no room');
    expect(memory.spans()[0]).toMatchObject({
      failed: true,
      events: [
        { name: 'exception', attributes: { 'exception.type': 'TypeError', 'exception.message': 'no room' } },
      ],
    });
  });

  test.each([
    ['an error whose message is no text', Object.assign(new Error('x'), { message: undefined })],
    ['an object without any text', Object.create(null)],
  ])('%s reaches the caller as it was thrown', async (_what, thrown) => {
    const memory = record();
    const failing = withSpan('fails', {}, () => {
      throw thrown;
    });
    expect(await failing.catch(error => error)).toBe(thrown);
    expect(memory.spans()[0]).toMatchObject({ failed: true });
  });

  test('safety-45: names, attributes, events and errors hold no personal data', async () => {
    const memory = record();
    await fc.assert(
      fc.asyncProperty(canaryInText, secretKey, canaryValue, async ({ text, traces }, key, value) => {
        await withSpan(`at ${text}`, { note: text, [key]: value }, span => {
          span.set({ later: text, [key]: value });
          span.event(text, { note: text });
          throw new Error(text);
        }).catch(() => {});
        const written = JSON.stringify(memory.spans().at(-1));
        for (const secret of [...traces, value]) expect(written).not.toContain(secret);
      }),
    );
  });

  test('a log line inside a span carries its correlation id and span id', async () => {
    const memory = record();
    const lines: string[] = [];
    const log = createLogger({ name: 'test', destination: { write: line => void lines.push(line) } });
    const id = await withSpan('work', {}, () => {
      log.info('inside');
      return correlationId();
    });
    log.info('outside');
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      correlationId: id,
      spanId: memory.spans()[0]?.spanId,
    });
    expect(lines[1]).not.toContain('correlationId');
  });

  test('every foreign trace id stays readable in a log line', () => {
    fc.assert(
      fc.property(hex(32), hex(15), (traceId, rest) => {
        const spanId = `${rest}b`;
        const lines: string[] = [];
        const log = createLogger({ name: 'test', destination: { write: line => void lines.push(line) } });
        inTraceOf(`00-${traceId}-${spanId}-01`, () => log.info('x'));
        expect(JSON.parse(lines[0] ?? '')).toMatchObject({ correlationId: correlationOf(traceId), spanId });
      }),
    );
  });
});

describe('start and stop', () => {
  test('leave no global behind, and can be repeated', async () => {
    const facts = () => ({
      symbols: Object.getOwnPropertySymbols(globalThis).map(String),
      names: Object.getOwnPropertyNames(globalThis).length,
      listeners: process.eventNames().map(name => [String(name), process.listenerCount(name)]),
      recording: trace.getTracer('probe').startSpan('probe').isRecording(),
    });
    const before = facts();
    for (let i = 0; i < 2; i++) {
      const memory = memoryExporter();
      const tracing = startTracing({ service: 'test-service', exporter: memory.exporter });
      await withSpan('work', {}, () => {});
      expect(memory.spans()).toHaveLength(1);
      await tracing.stop();
      await tracing.stop();
      expect(facts()).toEqual(before);
    }
  });

  test('a second start is refused while the first runs', () => {
    record();
    expect(() => record()).toThrow(/already started/);
  });

  test('without exporter and URL nothing is recorded, and ids still flow', async () => {
    const tracing = startTracing({ service: 'test-service' });
    expect(await withSpan('work', {}, () => traceparent())).toMatch(/^00-/);
    await tracing.stop();
  });

  test('with a URL the spans reach the collector at the latest on stop', async () => {
    const bodies: string[] = [];
    const collector = createServer((request, response) => {
      request.setEncoding('utf8').on('data', chunk => bodies.push(chunk));
      request.on('end', () => response.writeHead(200, { 'content-type': 'application/json' }).end('{}'));
    });
    await new Promise<void>(listening => collector.listen(0, '127.0.0.1', listening));
    const { port } = collector.address() as AddressInfo;
    const tracing = startTracing({ service: 'otlp-test', otlpUrl: `http://127.0.0.1:${port}/v1/traces` });
    await withSpan('exported', { room: 101 }, () => {});
    await tracing.stop();
    await new Promise(closed => collector.close(closed));
    expect(bodies.join('')).toContain('"exported"');
    expect(bodies.join('')).toContain('otlp-test');
  });

  test('a collector that takes no spans does not make stopping fail', async () => {
    const collector = createServer((_request, response) => response.writeHead(400).end());
    await new Promise<void>(listening => collector.listen(0, '127.0.0.1', listening));
    const { port } = collector.address() as AddressInfo;
    const tracing = startTracing({ service: 'otlp-test', otlpUrl: `http://127.0.0.1:${port}/v1/traces` });
    await withSpan('lost', {}, () => {});
    await tracing.stop();
    await new Promise(closed => collector.close(closed));
  });
});
