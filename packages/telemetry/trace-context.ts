import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import { coreErrors } from '@ghasi/domain-primitives/errors';
import { isUlid, type ULID, ulidFromUuid, uuidFromUlid } from '@ghasi/domain-primitives/uuid';

/** Where the running code stands: a trace, and a span of it once one is open. Ids are lower-case hex. */
export type TraceScope = {
  readonly traceId: string;
  readonly spanId?: string | undefined;
  readonly sampled: boolean;
  /** True when the span was opened by another process. */
  readonly remote: boolean;
  /** The trace id as ULID, where somebody has it already. */
  readonly correlationId?: ULID | undefined;
};

const scopes = new AsyncLocalStorage<TraceScope>();

const zeroTrace = '0'.repeat(32);
const zeroUlid = '0'.repeat(26);
const header = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/** The scope of the running code, if any. */
export function currentScope(): TraceScope | undefined {
  return scopes.getStore();
}

/** Runs `work` in a scope; everything it awaits stays in it. */
export function runInScope<T>(scope: TraceScope, work: () => T): T {
  return scopes.run(scope, work);
}

/** What a log line says about the running trace. */
export function currentTrace(): { correlationId: ULID; spanId?: string } | undefined {
  const scope = scopes.getStore();
  if (scope === undefined) return undefined;
  const correlationId = correlationOfScope(scope);
  return scope.spanId === undefined ? { correlationId } : { correlationId, spanId: scope.spanId };
}

/** A trace id that is a ULID: 48 bits of milliseconds, 80 random bits. */
export function newTraceId(nowMs: number = Date.now()): string {
  return nowMs.toString(16).padStart(12, '0') + randomBytes(10).toString('hex');
}

/** Eight random bytes with a letter in their text, so that no span id reads as a card number; 1 in 1,800 is drawn again. */
export function newSpanId(): string {
  const text = randomBytes(8).toString('hex');
  return /[a-f]/.test(text) ? text : newSpanId();
}

/** OBS-01: the 16 bytes of a trace id as a ULID. */
export function correlationOf(traceId: string): ULID {
  const groups = [traceId.slice(0, 8), traceId.slice(8, 12), traceId.slice(12, 16), traceId.slice(16, 20)];
  return ulidFromUuid(`${groups.join('-')}-${traceId.slice(20)}`);
}

/** OBS-01: the correlation id of a scope. */
export function correlationOfScope(scope: TraceScope): ULID {
  return scope.correlationId ?? correlationOf(scope.traceId);
}

/** OBS-01: the 16 bytes of a ULID as a trace id; W3C has no trace of all zeros. */
export function traceIdOf(correlationId: ULID): string {
  const traceId = uuidFromUlid(correlationId).replaceAll('-', '');
  if (traceId === zeroTrace)
    throw coreErrors.MALFORMED_ID({ expected: 'correlation id', reason: 'all zeros' });
  return traceId;
}

/** Reads a W3C `traceparent`; anything malformed answers undefined, because a caller's bad header is no reason to fail. */
export function parseTraceparent(text: string): TraceScope | undefined {
  const [, version, traceId, spanId, flags, more] = header.exec(text) ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  if (version === 'ff' || (version === '00' && more !== undefined)) return undefined;
  if (traceId === zeroTrace || spanId === '0'.repeat(16)) return undefined;
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1, remote: true };
}

/** Writes a W3C `traceparent`, version 00. */
export function formatTraceparent(scope: TraceScope): string {
  return `00-${scope.traceId}-${scope.spanId ?? newSpanId()}-${scope.sampled ? '01' : '00'}`;
}

/**
 * The scope an event carries. Ids are checked at once and worked out only when somebody asks: most handlers neither log
 * nor trace, and working them out costs 3 µs (measured), more than all else that is done for a message outside its
 * transaction. ENV-09: the correlation id never changes on its way, so a parent of another trace is not followed.
 */
export class EventScope implements TraceScope {
  readonly correlationId: ULID;
  readonly #traceparent: string | undefined;
  #read: TraceScope | undefined;

  constructor(correlationId: ULID, traceparent: string | undefined) {
    if (!isUlid(correlationId) || correlationId === zeroUlid) traceIdOf(correlationId); // says what is wrong
    this.correlationId = correlationId;
    this.#traceparent = traceparent;
  }

  get traceId(): string {
    return this.#scope().traceId;
  }

  get spanId(): string | undefined {
    return this.#scope().spanId;
  }

  get sampled(): boolean {
    return this.#scope().sampled;
  }

  get remote(): boolean {
    return this.#scope().remote;
  }

  #scope(): TraceScope {
    if (this.#read !== undefined) return this.#read;
    const traceId = traceIdOf(this.correlationId);
    const parent = this.#traceparent === undefined ? undefined : parseTraceparent(this.#traceparent);
    this.#read = parent?.traceId === traceId ? parent : { traceId, sampled: true, remote: false };
    return this.#read;
  }
}
