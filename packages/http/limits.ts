import { hours, minutes, seconds } from '@ghasi/domain-primitives/duration';

/** Sizes and times no request may exceed (safety rule 38). Each can be changed in the host's configuration. */
export type Limits = {
  /** Bytes of a request body. */
  bodyBytes: number;
  /** Bytes of the request line and all headers; Node answers 431 beyond it. */
  headerBytes: number;
  /** Characters of one path parameter. */
  paramLength: number;
  /** Nesting of JSON objects and arrays. */
  jsonDepth: number;
  /** Object keys in one JSON body. */
  jsonKeys: number;
  /** Values in one JSON body; bounds the memory a body of 1 MB can turn into. */
  jsonValues: number;
  /** Time for all headers to arrive: a slowloris client is cut off after it. */
  headersTimeoutMs: number;
  /** Time for the whole request to arrive. */
  requestTimeoutMs: number;
  /** How often Node looks for connections that broke the two limits above. */
  connectionCheckMs: number;
  /** Idle time after which a kept-alive connection is closed. */
  keepAliveMs: number;
  /** Time a handler has before the client hears 504; below the idempotency lease. */
  handlerTimeoutMs: number;
  /** Connections at the same time. */
  connections: number;
  /** Reads worked on at the same time, of all services together; beyond it they hear 503. Writes have twice as many. */
  inFlight: number;
  /** Time in-flight requests get when the host closes. */
  drainTimeoutMs: number;
  /** Time between "not ready" and the closed door, for a load balancer to notice. */
  drainDelayMs: number;
};

/** The limits of a host that is not told otherwise. */
export const defaultLimits: Readonly<Limits> = {
  bodyBytes: 1_048_576,
  headerBytes: 16_384,
  paramLength: 128,
  jsonDepth: 32,
  jsonKeys: 10_000,
  jsonValues: 50_000,
  headersTimeoutMs: seconds(10),
  requestTimeoutMs: seconds(30),
  connectionCheckMs: seconds(1),
  keepAliveMs: seconds(65), // above the 60 s of common load balancers, so that they close first
  handlerTimeoutMs: seconds(30),
  connections: 5_000,
  inFlight: 200, // a busy house has ten; at 200 the last one waits for about half a second on two cores
  drainTimeoutMs: seconds(4),
  drainDelayMs: 0,
};

/** How long a claimed idempotency key stays claimed without an answer (ledger X-101). */
export const IDEMPOTENCY_LEASE_MS = minutes(1);

/** How long an answer can be replayed (ledger IDEM-07). */
export const IDEMPOTENCY_KEPT_MS = hours(24);
