/** What an error may carry besides its text: plain JSON, so that it survives a log line and a problem+json body. */
export type ParamValue =
  | string
  | number
  | boolean
  | null
  | readonly ParamValue[]
  | { readonly [key: string]: ParamValue };

/** The facts of one error. */
export type ErrorParams = Readonly<Record<string, ParamValue>>;

/** One line of an error catalogue before it is registered; `{name}` in the text becomes a required param. */
export type ErrorDefinition = { readonly status: number; readonly text: string };

/** One registered line: `code` is the bare constant, `qualifiedCode` the form with prefix and service. */
export type CatalogueEntry = {
  readonly code: string;
  readonly qualifiedCode: string;
  readonly status: number;
  readonly text: string;
};

/** An error with a place in a catalogue: safe to show, stable to match on. */
export class AppError extends Error {
  readonly code: string;
  readonly qualifiedCode: string;
  readonly status: number;
  readonly params: ErrorParams;

  constructor(entry: CatalogueEntry, params: ErrorParams = {}, options?: ErrorOptions) {
    super(render(entry.text, params), options);
    this.name = 'AppError';
    this.code = entry.code;
    this.qualifiedCode = entry.qualifiedCode;
    this.status = entry.status;
    this.params = params;
  }
}

type Placeholders<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Placeholders<Rest>
  : never;

type ParamsOf<Text extends string> = {
  readonly [name in Placeholders<Text>]: string | number | readonly string[];
} & ErrorParams;

type FactoryArgs<Text extends string> = [Placeholders<Text>] extends [never]
  ? [params?: ErrorParams, options?: ErrorOptions]
  : [params: ParamsOf<Text>, options?: ErrorOptions];

/** Makes one kind of error; `is` recognises it again. */
export type ErrorFactory<Text extends string = string> = ((...args: FactoryArgs<Text>) => AppError) & {
  readonly entry: CatalogueEntry;
  is(error: unknown): error is AppError;
};

/** The factories of one service, by code, and the list of what it may say. */
export type ErrorCatalogue<Definitions extends Record<string, ErrorDefinition>> = {
  readonly [code in keyof Definitions]: ErrorFactory<Definitions[code]['text']>;
} & { readonly catalogue: readonly CatalogueEntry[] };

/**
 * Registers a service's error codes. `service` is the token ('iam') or the folder ('iam-service'): both give
 * `MELMASTOON.IAM.<CODE>`; `prefix` (default 'MELMASTOON') is for products built on these packages.
 */
export function defineErrors<const Definitions extends Record<string, ErrorDefinition>>(
  service: string,
  definitions: Definitions,
  { prefix = 'MELMASTOON' }: { prefix?: string } = {},
): ErrorCatalogue<Definitions> {
  const token = serviceToken(service);
  const entries = Object.entries(definitions).map(([code, { status, text }]) => {
    assertDefinition(code, status, text);
    return Object.freeze({ code, qualifiedCode: `${prefix}.${token}.${code}`, status, text });
  });
  const factories = entries.map(entry => [entry.code, errorFactory(entry)] as const);
  // The mapped type cannot be derived from fromEntries; every key of Definitions was just walked.
  return Object.freeze({
    ...Object.fromEntries(factories),
    catalogue: Object.freeze(entries),
  }) as unknown as ErrorCatalogue<Definitions>;
}

function errorFactory(entry: CatalogueEntry): ErrorFactory {
  const make = (params?: ErrorParams, options?: ErrorOptions) => {
    const error = new AppError(entry, params, options);
    dropFactoryFrame(error, make);
    return error;
  };
  const is = (error: unknown): error is AppError =>
    error instanceof AppError && error.qualifiedCode === entry.qualifiedCode;
  return Object.assign(make, { entry, is });
}

/** So that a stack starts where the error was thrown. V8 only: other engines keep one more line. */
function dropFactoryFrame(error: Error, factory: (...args: never[]) => unknown): void {
  const capture: unknown = Reflect.get(Error, 'captureStackTrace');
  if (typeof capture === 'function') Reflect.apply(capture, Error, [error, factory]);
}

function serviceToken(service: string): string {
  const token = service
    .replace(/-service$/, '')
    .replaceAll('-', '_')
    .toUpperCase();
  if (!/^[A-Z][A-Z0-9_]*$/.test(token)) {
    throw new TypeError(`defineErrors: "${service}" is not a service name such as 'iam' or 'iam-service'`);
  }
  return token;
}

function assertDefinition(code: string, status: number, text: string): void {
  if (!/^[A-Z][A-Z0-9_]*$/.test(code)) {
    throw new TypeError(`defineErrors: code "${code}" is not written LIKE_THIS`);
  }
  if (!Number.isInteger(status) || status < 400 || status > 599) {
    throw new TypeError(`defineErrors: ${code} has status ${status}; an error is 400 to 599`);
  }
  if (text === '' || /[{}]/.test(text.replaceAll(/\{[a-zA-Z][a-zA-Z0-9]*\}/g, ''))) {
    throw new TypeError(`defineErrors: ${code} needs a text whose placeholders look like {deviceId}`);
  }
}

/** Longest piece of foreign text copied into a message: params often carry what a client sent. */
const MAX_SHOWN = 120;
/** Most pieces of a list; whoever mends these sees the next ones. */
const MAX_LISTED = 20;

function render(text: string, params: ErrorParams): string {
  // One pass, so that a value that itself contains {braces} is never expanded again.
  return text.replaceAll(/\{([a-zA-Z][a-zA-Z0-9]*)\}/g, (placeholder, name: string) => {
    const value = Object.hasOwn(params, name) ? params[name] : undefined;
    if (value === undefined) return placeholder;
    return Array.isArray(value) ? list(value) : shown(value);
  });
}

/** A list is cut piece by piece, so that the second reason is not lost because the first one is long. */
function list(values: readonly ParamValue[]): string {
  const rest = values.length - MAX_LISTED;
  return [...values.slice(0, MAX_LISTED).map(shown), ...(rest > 0 ? [`and ${rest} more`] : [])].join('; ');
}

function shown(value: ParamValue): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}

/** The codes every service shares: VAL-15..19 of the ledger, the HTTP edge, and malformed values of this package. */
export const coreErrors = defineErrors('core', {
  VALIDATION_FAILED: { status: 400, text: 'The request does not have the expected form' },
  PAYLOAD_HASH_MISMATCH: { status: 422, text: 'payloadHash is not the SHA-256 of the canonical body' },
  ACTIVE_PURCHASE_EXISTS: { status: 409, text: 'An active lot of this product exists already' },
  UNIT_NOT_SUPPORTED: { status: 422, text: 'Unit {unit} is not supported' },
  VERSION_CONFLICT: { status: 409, text: 'Someone else changed this meanwhile; read it again and repeat' },
  TENANT_CONTEXT_MISSING: {
    status: 500,
    text: 'Work on tenant data was started without a tenant: its id is a uuid in lower case',
  },
  HANDOFF_ALREADY_CONSUMED: { status: 409, text: 'This handoff was used already' },
  HANDOFF_EXPIRED: { status: 410, text: 'This handoff has expired' },
  OVERSELL_BLOCKED: { status: 409, text: 'There is no room left for these nights' },

  IDEMPOTENCY_KEY_MISSING: { status: 400, text: 'Send an Idempotency-Key header with this request' },
  IDEMPOTENCY_KEY_INVALID: { status: 400, text: 'The Idempotency-Key header is not usable: {reason}' },
  IDEMPOTENCY_KEY_REUSED: { status: 422, text: 'This Idempotency-Key belongs to a different request' },
  IDEMPOTENCY_IN_PROGRESS: { status: 409, text: 'The first request with this Idempotency-Key still runs' },

  UNAUTHENTICATED: { status: 401, text: 'Sign in first' },
  FORBIDDEN: { status: 403, text: 'You may not do this' },
  NOT_FOUND: { status: 404, text: '{entity} was not found' },
  BODY_TOO_LARGE: { status: 413, text: 'The body is larger than {limitBytes} bytes' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, text: 'Send the body as {expected}' },
  RATE_LIMITED: { status: 429, text: 'Too many requests; try again in {retryAfterSeconds} s' },
  INTERNAL: { status: 500, text: 'Something went wrong on our side' },
  UNAVAILABLE: { status: 503, text: 'This cannot be done right now; try again soon' },
  COMMIT_UNKNOWN: {
    status: 503,
    text: 'It is not known whether this was saved; repeat it with the same Idempotency-Key',
  },

  MALFORMED_ID: { status: 400, text: 'Not a {expected} id: {reason}' },
  MALFORMED_MONEY: { status: 400, text: 'Not an amount of money: {reason}' },
  UNKNOWN_CURRENCY: { status: 400, text: '"{currency}" is not an active ISO 4217 currency' },
  CURRENCY_MISMATCH: { status: 422, text: 'Cannot combine {left} with {right}' },
  MALFORMED_DATE: { status: 400, text: 'Not a date: {reason}' },
  MALFORMED_TIME: { status: 400, text: 'Not a time of day: {reason}' },
  INVALID_STAY: { status: 422, text: 'Not a stay: {reason}' },
  UNKNOWN_ZONE: { status: 400, text: 'Not an IANA time zone: {reason}' },
  MALFORMED_DURATION: { status: 400, text: 'Not a duration: {reason}' },
  NOT_CANONICAL_JSON: { status: 400, text: 'No canonical JSON exists for {path}: {reason}' },
});
