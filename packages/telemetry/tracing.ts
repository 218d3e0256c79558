import { safeReason } from '@ghasi/domain-primitives/safe-reason';
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
  correlationOfScope,
  currentScope,
  EventScope,
  formatTraceparent,
  newSpanId,
  newTraceId,
  parseTraceparent,
  runInScope,
  type TraceScope,
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

/** A span that is over: something waited, and only now is it known from when to when. */
export type PastSpan = SpanShape & {
  readonly start: Date;
  /** Never before `start`: clocks of two machines differ. */
  readonly end: Date;
  readonly parent: TraceOrigin;
  /** Its id, where others must be able to link to it before they have seen it. Default: random. */
  readonly spanId?: string;
  readonly attributes?: SpanAttributes;
};

/** `startWith` gives the next span its ids, where they are known before it begins. */
type Recorder = { tracer: Tracer; startWith(traceId: string, spanId?: string): void };

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
  let nextSpanId: string | undefined;
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': options.service }),
    spanProcessors: processors,
    // A root span takes the trace id its scope already has, so that correlation id and trace id stay one.
    idGenerator: {
      generateTraceId: () => rootTraceId ?? newTraceId(),
      generateSpanId: () => nextSpanId ?? newSpanId(),
    },
  });
  const mine: Recorder = {
    tracer: provider.getTracer('melmastoon'),
    startWith: (traceId, spanId) => {
      rootTraceId = traceId;
      nextSpanId = spanId;
    },
  };
  recorder = mine;
  return {
    async stop() {
      if (recorder === mine) recorder = undefined;
      // A collector that is away costs spans, at any time; whoever stops cannot do better, and has more to close.
      await provider.shutdown().catch(() => {});
    },
  };
}

/** True while spans are recorded; work that only prepares a span can be left out otherwise. */
export function isTracing(): boolean {
  return recorder !== undefined;
}

/**
 * Runs `work` in a span under the current one; a throw marks the span and goes on to the caller. When nothing is
 * recorded, `work` stays in the scope it is in: an id that nobody records would only cut the caller's trace in two.
 */
export async function withSpan<T>(
  span: string | SpanShape,
  attributes: SpanAttributes,
  work: (span: OpenSpan) => T | Promise<T>,
): Promise<T> {
  if (recorder === undefined)
    return currentScope() === undefined ? runInScope(newScope(), () => work(unrecorded)) : work(unrecorded);
  const shape = typeof span === 'string' ? { name: span } : span;
  const parent = currentScope() ?? newTrace();
  const opened = open(recorder, { ...shape, attributes }, parent);
  const scope: TraceScope = {
    traceId: parent.traceId,
    spanId: opened.spanContext().spanId,
    sampled: (opened.spanContext().traceFlags & 1) === 1,
    remote: false,
    correlationId: parent.correlationId,
  };
  try {
    return await runInScope(scope, () => work(handle(opened)));
  } catch (error) {
    markFailed(opened, error);
    throw error;
  } finally {
    opened.end();
  }
}

/** Records a span that is over, such as the time an event waited somewhere. Costs nothing when nothing is recorded. */
export function recordSpan({ parent, start, end, ...span }: PastSpan): void {
  if (recorder === undefined) return;
  const opened = open(recorder, { ...span, startTime: start }, scopeOf(parent));
  opened.end(end < start ? start : end);
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
  return scope === undefined ? newCorrelation() : correlationOfScope(scope);
}

/** What an event says of where it comes from; outside every trace a new one, the same for all events that get it. */
export function traceOrigin(): { readonly correlationId: ULID; readonly traceparent: string } {
  const scope = currentScope() ?? newScope();
  return { correlationId: correlationOfScope(scope), traceparent: formatTraceparent(scope) };
}

/** A correlation id for work that starts here. */
export function newCorrelation(): ULID {
  return correlationOf(newTraceId());
}

function scopeOf(origin: TraceOrigin): TraceScope {
  if (typeof origin === 'object') return new EventScope(origin.correlationId, origin.traceparent);
  return (origin === undefined ? undefined : parseTraceparent(origin)) ?? newTrace();
}

function newTrace(): TraceScope {
  return { traceId: newTraceId(), sampled: true, remote: false };
}

function newScope(): TraceScope {
  return { ...newTrace(), spanId: newSpanId() };
}

type Opening = SpanShape & Partial<Pick<PastSpan, 'spanId' | 'attributes'>> & { startTime?: Date };

function open(into: Recorder, span: Opening, parent: TraceScope): Span {
  const { name, kind = 'internal', links = [], attributes = {}, startTime } = span;
  into.startWith(parent.traceId, span.spanId);
  const options = {
    kind: kinds[kind],
    attributes: safe(attributes),
    links: links.flatMap(linkTo),
    ...(startTime === undefined ? {} : { startTime }),
  };
  return into.tracer.startSpan(scrubText(name), options, contextOf(parent));
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

function handle(span: Span): OpenSpan {
  return {
    set: attributes => void span.setAttributes(safe(attributes)),
    event: (name, attributes = {}) => void span.addEvent(scrubText(name), safe(attributes)),
  };
}

const unrecorded: OpenSpan = { set() {}, event() {} };

const MOST_OF_A_REASON = 10_000; // characters; scrubText looks at fewer

function markFailed(span: Span, error: unknown): void {
  const name = error instanceof Error ? error.name : typeof error;
  const message = scrubText(safeReason(error, MOST_OF_A_REASON));
  span.addEvent('exception', { 'exception.type': name, 'exception.message': message });
  span.setStatus({ code: SpanStatusCode.ERROR, message });
}

function safe(attributes: SpanAttributes): Record<string, string | number | boolean | undefined> {
  return redactJson({ ...attributes }) as Record<string, string | number | boolean | undefined>;
}
