import type { ULID } from '@ghasi/domain-primitives/uuid';
import {
  type Context,
  type Link,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  SimpleSpanProcessor,
  type SpanExporter,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { redactJson, scrubText } from './redact.ts';
import {
  correlationOf,
  currentScope,
  formatTraceparent,
  newSpanId,
  newTraceId,
  parseTraceparent,
  runInScope,
  type TraceScope,
  traceIdOf,
} from './trace-context.ts';

/** Values a span may carry; text is scrubbed like a log line. */
export type SpanAttributes = { readonly [key: string]: string | number | boolean | undefined };

/** A span that is more than a name: its kind, and the `traceparent`s it links to. */
export type SpanShape = {
  readonly name: string;
  readonly kind?: 'internal' | 'server' | 'client' | 'producer' | 'consumer';
  readonly links?: readonly string[];
};

/** What work inside a span may do to it. */
export type OpenSpan = {
  set(attributes: SpanAttributes): void;
  event(name: string, attributes?: SpanAttributes): void;
};

/** Where work comes from: a `traceparent`, a correlation id, or both as an event carries them. */
export type TraceOrigin =
  | string
  | undefined
  | { readonly correlationId: ULID; readonly traceparent?: string | undefined };

type Recorder = { tracer: Tracer; startWith(traceId: string): void };

const kinds = {
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
} as const;

let recorder: Recorder | undefined;

/**
 * Starts recording spans, to `exporter` (each span at once, for tests) or to an OTLP collector (in batches); with
 * neither, ids still flow and nothing is recorded. Registers nothing with the OpenTelemetry globals.
 */
export function startTracing(options: { service: string; otlpUrl?: string; exporter?: SpanExporter }): {
  stop(): Promise<void>;
} {
  if (recorder !== undefined) throw new Error('Tracing is already started in this process; stop it first');
  const processors = [
    ...(options.exporter === undefined ? [] : [new SimpleSpanProcessor({ exporter: options.exporter })]),
    ...(options.otlpUrl === undefined
      ? []
      : [new BatchSpanProcessor({ exporter: new OTLPTraceExporter({ url: options.otlpUrl }) })]),
  ];
  if (processors.length === 0) return { stop: async () => {} };

  let rootTraceId: string | undefined;
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': options.service }),
    spanProcessors: processors,
    // A root span takes the trace id its scope already has, so that correlation id and trace id stay one.
    idGenerator: { generateTraceId: () => rootTraceId ?? newTraceId(), generateSpanId: newSpanId },
  });
  const mine: Recorder = {
    tracer: provider.getTracer('melmastoon'),
    startWith: traceId => {
      rootTraceId = traceId;
    },
  };
  recorder = mine;
  return {
    async stop() {
      if (recorder === mine) recorder = undefined;
      await provider.shutdown();
    },
  };
}

/** Runs `work` in a span under the current one; a throw marks the span and goes on to the caller. */
export async function withSpan<T>(
  span: string | SpanShape,
  attributes: SpanAttributes,
  work: (span: OpenSpan) => T | Promise<T>,
): Promise<T> {
  const shape = typeof span === 'string' ? { name: span } : span;
  const parent = currentScope() ?? { traceId: newTraceId(), sampled: true, remote: false };
  const opened = recorder === undefined ? undefined : open(recorder, shape, attributes, parent);
  const scope: TraceScope = {
    traceId: parent.traceId,
    spanId: opened?.spanContext().spanId ?? newSpanId(),
    sampled: opened === undefined ? parent.sampled : (opened.spanContext().traceFlags & 1) === 1,
    remote: false,
  };
  try {
    return await runInScope(scope, () => work(handle(opened)));
  } catch (error) {
    if (opened !== undefined) markFailed(opened, error);
    throw error;
  } finally {
    opened?.end();
  }
}

/** Runs `work` as part of the trace it came from; without one, or with a malformed one, a new trace begins. */
export function inTraceOf<T>(origin: TraceOrigin, work: () => T): T {
  return runInScope(scopeOf(origin), work);
}

/** The `traceparent` to send along; undefined outside every trace. */
export function traceparent(): string | undefined {
  const scope = currentScope();
  return scope === undefined ? undefined : formatTraceparent(scope);
}

/** OBS-01: the correlation id of the running trace; outside every trace a new one at each call. */
export function correlationId(): ULID {
  const scope = currentScope();
  return scope === undefined ? newCorrelation() : correlationOf(scope.traceId);
}

/** A correlation id for work that starts here. */
export function newCorrelation(): ULID {
  return correlationOf(newTraceId());
}

function scopeOf(origin: TraceOrigin): TraceScope {
  if (typeof origin === 'object') {
    // ENV-09: the correlation id never changes on its way, so a parent of another trace is not followed.
    const traceId = traceIdOf(origin.correlationId);
    const parent = origin.traceparent === undefined ? undefined : parseTraceparent(origin.traceparent);
    return parent?.traceId === traceId ? parent : { traceId, sampled: true, remote: false };
  }
  const parent = origin === undefined ? undefined : parseTraceparent(origin);
  return parent ?? { traceId: newTraceId(), sampled: true, remote: false };
}

function open(into: Recorder, shape: SpanShape, attributes: SpanAttributes, parent: TraceScope): Span {
  into.startWith(parent.traceId);
  const options = {
    kind: kinds[shape.kind ?? 'internal'],
    attributes: safe(attributes),
    links: (shape.links ?? []).flatMap(linkTo),
  };
  return into.tracer.startSpan(scrubText(shape.name), options, contextOf(parent));
}

function contextOf(scope: TraceScope): Context {
  if (scope.spanId === undefined) return ROOT_CONTEXT;
  return trace.setSpanContext(ROOT_CONTEXT, spanContextOf(scope, scope.spanId));
}

function linkTo(text: string): Link[] {
  const scope = parseTraceparent(text);
  return scope?.spanId === undefined ? [] : [{ context: spanContextOf(scope, scope.spanId) }];
}

function spanContextOf(scope: TraceScope, spanId: string) {
  return { traceId: scope.traceId, spanId, traceFlags: scope.sampled ? 1 : 0, isRemote: scope.remote };
}

function handle(span: Span | undefined): OpenSpan {
  return {
    set: attributes => void span?.setAttributes(safe(attributes)),
    event: (name, attributes = {}) => void span?.addEvent(scrubText(name), safe(attributes)),
  };
}

function markFailed(span: Span, error: unknown): void {
  const name = error instanceof Error ? error.name : typeof error;
  const message = scrubText(error instanceof Error ? error.message : String(error));
  span.addEvent('exception', { 'exception.type': name, 'exception.message': message });
  span.setStatus({ code: SpanStatusCode.ERROR, message });
}

function safe(attributes: SpanAttributes): Record<string, string | number | boolean | undefined> {
  return redactJson({ ...attributes }) as Record<string, string | number | boolean | undefined>;
}
