import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import type { TestDatabase } from '@ghasi/testing/database';
import { waitUntil } from '@ghasi/testing/signal';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type BookingGuest, bookingGuest, confirmation } from './fixtures/booking-guest.ts';
import { demoDatabase, serveDemo } from './fixtures/demo-database.ts';
import type { Running } from './start.ts';

/** What a collector of traces receives, as far as it is looked at here. */
type Span = { traceId: string; name: string; attributes: { key: string; value: { stringValue?: string } }[] };
type Report = { resourceSpans: { scopeSpans: { spans: Span[] }[] }[] };

const spans: Span[] = [];
const collector = createServer(async (request, response) => {
  const { resourceSpans } = (await json(request)) as Report;
  spans.push(...resourceSpans.flatMap(one => one.scopeSpans.flatMap(scope => scope.spans)));
  response.setHeader('content-type', 'application/json').end('{}');
});
let database: TestDatabase;
let running: Running;
let guest: BookingGuest;
const traceId = randomBytes(16).toString('hex');
beforeAll(async () => {
  await new Promise<void>(resolve => collector.listen(0, '127.0.0.1', resolve));
  database = await demoDatabase();
  const { port } = collector.address() as AddressInfo;
  running = await serveDemo(database, {
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}/v1/traces`,
  });
  guest = await bookingGuest(running.url, 'bala-hissar', {
    traceparent: `00-${traceId}-00f067aa0ba902b7-01`,
  });
});
afterAll(async () => {
  await running?.close();
  collector.close();
  await database.drop();
});

/** The services a trace went through: who served a request of it, and who heard an event of it. */
function servicesOf(found: readonly Span[]): Set<string> {
  const told = found.flatMap(({ attributes }) =>
    attributes
      .filter(({ key }) => key === 'service' || key === 'messaging.consumer.group.name')
      .map(({ value }) => (value.stringValue ?? '').split('.')[0] as string),
  );
  return new Set(told);
}

test('OBS-03: a whole booking is one trace through all services that have a part in it', async () => {
  const { draftId } = await guest.draft(200);
  const booking = await guest.send('POST', `/drafts/${draftId}/confirm`, confirmation('cash_pending'));
  expect((await guest.once(draftId, 'confirming')).state).toBe('confirmed');
  const wanted = [
    'bff-tenant-booking-service',
    'reservation-service',
    'inventory-service',
    'payment-gateway-service',
    'lock-integration-service',
    'notification-service',
  ];
  await waitUntil('the collector has heard of all of them', () => {
    const seen = servicesOf(spans.filter(span => span.traceId === traceId));
    return wanted.every(service => seen.has(service));
  });
  const [events] = await database.admin<{ traces: bigint; events: bigint }>(
    `select count(distinct envelope::jsonb ->> 'correlationId') as traces, count(*) as events from brokers.log
     where envelope::jsonb -> 'payload' ->> 'reservationId' = $1 and topic not like '%.audit.%'`,
    [booking.reservationId],
  );
  expect(events?.traces).toBe(1n);
  expect(Number(events?.events)).toBeGreaterThan(4);
});
