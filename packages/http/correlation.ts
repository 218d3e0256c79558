import type { IncomingHttpHeaders } from 'node:http';
import type { ULID } from '@ghasi/domain-primitives/uuid';
import { correlationId, inTraceOf } from '@ghasi/telemetry/tracing';

/** The header that carries the correlation id back to the caller. */
export const CORRELATION_HEADER = 'x-correlation-id';

/** The correlation id of a request: its trace id as ULID text (ledger X-024), or a new one without a usable trace. */
export function correlationFor(headers: IncomingHttpHeaders): ULID {
  return inTraceOf(traceparentOf(headers), correlationId);
}

/** Runs the work of a request inside the trace that its correlation id names. */
export function inRequestTrace<T>(id: string, headers: IncomingHttpHeaders, work: () => T): T {
  return inTraceOf({ correlationId: id as ULID, traceparent: traceparentOf(headers) }, work);
}

function traceparentOf(headers: IncomingHttpHeaders): string | undefined {
  const value = headers.traceparent;
  return typeof value === 'string' && value.length <= 256 ? value : undefined;
}
