import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { InMemorySpanExporter, type ReadableSpan, type SpanExporter } from '@opentelemetry/sdk-trace';

/** A finished span as a test wants to read it. */
export type FinishedSpan = {
  readonly name: string;
  readonly kind: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly events: readonly {
    readonly name: string;
    readonly attributes: Readonly<Record<string, unknown>>;
  }[];
  readonly links: readonly string[];
  readonly failed: boolean;
  /** Milliseconds since 1970. */
  readonly start: number;
  readonly end: number;
};

/** An exporter for `startTracing` that keeps the spans in memory, in the order in which they ended. */
export function memoryExporter(): { readonly exporter: SpanExporter; spans(): FinishedSpan[] } {
  const exporter = new InMemorySpanExporter();
  return { exporter, spans: () => exporter.getFinishedSpans().map(readable) };
}

function readable(span: ReadableSpan): FinishedSpan {
  const { traceId, spanId } = span.spanContext();
  return {
    name: span.name,
    kind: (SpanKind[span.kind] ?? 'INTERNAL').toLowerCase(),
    traceId,
    spanId,
    parentSpanId: span.parentSpanContext?.spanId,
    attributes: span.attributes,
    events: span.events.map(event => ({ name: event.name, attributes: event.attributes ?? {} })),
    links: span.links.map(link => link.context.spanId),
    failed: span.status.code === SpanStatusCode.ERROR,
    start: milliseconds(span.startTime),
    end: milliseconds(span.endTime),
  };
}

function milliseconds([seconds, nanoseconds]: readonly [number, number]): number {
  return seconds * 1_000 + nanoseconds / 1_000_000;
}
