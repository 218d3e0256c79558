import { uuid7 } from '@ghasi/domain-primitives/uuid';
import { memoryExporter } from '@ghasi/telemetry/memory-exporter';
import { startTracing, traceOrigin, traceparent, withSpan } from '@ghasi/telemetry/tracing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { inTracesOfEvents, publishSpan, recordOutboxWait } from './observe-trace.ts';
import type { Readable } from './read-delivery.ts';

let memory: ReturnType<typeof memoryExporter>;
let tracing: ReturnType<typeof startTracing>;
beforeEach(() => {
  memory = memoryExporter();
  tracing = startTracing({ service: 'shop', exporter: memory.exporter });
});
afterEach(() => tracing.stop());

const topic = 'shop.orders.order.changed.v1';
const published = new Date('2026-03-21T08:00:00.000Z');

/** A message of a trace of its own, as a consumer reads it. */
async function received(): Promise<{ read: Readable; producer: string }> {
  return withSpan('append', {}, () => {
    const { correlationId, traceparent: sent } = traceOrigin();
    const envelope = { eventId: uuid7(), correlationId };
    const delivery = { topic, attempt: 1, publishedAt: published, attributes: { traceparent: sent } };
    const claim = { consumer: 'stock-service.order-changed' };
    return { read: { envelope, delivery, claim } as unknown as Readable, producer: sent };
  });
}

test('X-025: the publish span of an event is known from its id, in the trace of its producer', async () => {
  const { read, producer } = await received();
  const { eventId } = read.envelope;
  const times = { appendedMs: 1, publishedMs: 2 };
  recordOutboxWait({ topic, eventId, traceparent: producer, ...times });
  recordOutboxWait({ topic, eventId, traceparent: null, ...times });
  const waits = memory.spans().filter(({ name }) => name === 'outbox wait');
  expect(waits.map(({ traceId, spanId }) => `00-${traceId}-${spanId}-01`)).toEqual([
    publishSpan(producer, eventId),
  ]);
});

test('OBS-02: a handler that takes many events shows in the trace of each, and runs in none of them', async () => {
  const events = [await received(), await received()];
  const inside = await inTracesOfEvents(
    events.map(({ read }) => read),
    async () => traceparent(),
  );
  expect(inside).toBeUndefined();
  for (const { read, producer } of events) {
    const mine = memory.spans().filter(({ traceId }) => producer.includes(traceId));
    const [append] = mine.filter(({ name }) => name === 'append');
    const link = publishSpan(producer, read.envelope.eventId).split('-')[2];
    expect(mine.filter(({ name }) => name !== 'append')).toMatchObject([
      { name: 'broker wait', parentSpanId: append?.spanId, links: [link], start: published.getTime() },
      {
        name: `${topic} process`,
        kind: 'consumer',
        parentSpanId: append?.spanId,
        links: [link],
        attributes: { 'messaging.batch.message_count': 2 },
      },
    ]);
  }
});

test('OBS-02: a call that fails is not shown: its events are handled again one by one', async () => {
  const { read } = await received();
  const before = memory.spans().length;
  const failing = inTracesOfEvents([read], async () => {
    throw new Error('no');
  });
  await expect(failing).rejects.toThrow('no');
  expect(memory.spans()).toHaveLength(before);
});
