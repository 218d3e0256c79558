import type { Database } from '@ghasi/db/database';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import type { CatalogueEntry } from '@ghasi/domain-primitives/errors';
import type { TenantId } from '@ghasi/domain-primitives/ids';
import type { z } from 'zod';
import type { CheckedJson } from './checked-json.ts';
import type { Principal, RequestFacts } from './principal.ts';
import type { RouteRateLimit } from './rate-limits.ts';

export const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/** The HTTP methods a route may have. */
export type Method = (typeof methods)[number];

/** Who may call a route. Several roles: one of them is enough; no roles: everybody of that kind. */
export type Auth =
  | { kind: 'open' }
  | { kind: 'operator'; roles: readonly string[]; stepUp?: string }
  | { kind: 'device'; roles: readonly string[] }
  | { kind: 'guest' }
  | { kind: 'service' };

/** Anybody may call this route. */
export const open = () => ({ kind: 'open' }) as const;

/** Signed-in operators with one of these roles; `stepUp` names the action that needs a fresh second factor. */
export const operator = (roles: readonly string[], options: { stepUp?: string } = {}) =>
  ({ kind: 'operator', roles, ...options }) as const;

/** Paired devices with one of these roles. */
export const device = (roles: readonly string[]) => ({ kind: 'device', roles }) as const;

/** Holders of a guest session. */
export const guest = () => ({ kind: 'guest' }) as const;

/** Other services of this installation. */
export const internal = () => ({ kind: 'service' }) as const;

/**
 * How a handler meets the database.
 * - `whole` (default): it runs inside one transaction of the tenant; GET routes get one that refuses writes.
 * - `late`: slow work first (hashing a password), then everything it writes inside `ctx.commit`, once.
 * - `none`: no transaction; `ctx.db` is there for handlers that open their own. Mutating routes must then say why
 *   they need no idempotency.
 */
export type TransactionMode = 'whole' | 'late' | 'none';

/** Responses by status code. `z.undefined()` is a reply without a body; `content('text/csv')` one that is not JSON. */
export type Returns = Readonly<Record<number, z.ZodType>>;

/** A cookie to set. Secure, HttpOnly, SameSite=Lax and Path=/ unless the options say otherwise. */
export type ReplyCookie = {
  name: string;
  value: string;
  maxAgeSeconds?: number;
  path?: string;
  sameSite?: 'strict' | 'lax' | 'none';
  httpOnly?: boolean;
};

type ReplyExtras = {
  headers?: Readonly<Record<string, string>>;
  cookies?: readonly ReplyCookie[];
  /** Events of the use case; the transaction appends them to the outbox before it commits. Not sent to the client. */
  events?: readonly unknown[];
};

/** What a handler returns: one of the declared statuses with a body of its schema. */
export type Reply<R extends Returns = Returns> = {
  [S in keyof R & number]: ReplyExtras & { status: S } & (undefined extends z.input<R[S]>
      ? { body?: z.input<R[S]> }
      : { body: z.input<R[S]> | CheckedJson });
}[keyof R & number];

type Schema = z.ZodType | undefined;
type Parsed<S extends Schema> = S extends z.ZodType ? z.output<S> : undefined;

/** The validated parts of a request. */
export type Input<P extends Schema, Q extends Schema, B extends Schema> = {
  params: Parsed<P>;
  query: Parsed<Q>;
  body: Parsed<B>;
};

type PrincipalOf<A extends Auth> = A extends { kind: 'open' } ? undefined : Principal;

/** What the handler of a `whole` route gets first: a transaction, and who asks. */
export type RouteCtx<A extends Auth> = Ctx & { principal: PrincipalOf<A> };

/** What a handler without a transaction gets. The tenant is missing on open routes that no slug or host names. */
export type BareCtx<A extends Auth> = Omit<Ctx, 'tx' | 'tenantId'> & {
  db: Database;
  tenantId: A extends { kind: 'open' } ? TenantId | undefined : TenantId;
  principal: PrincipalOf<A>;
};

/** What the handler of a `late` route gets: no transaction yet, and the one chance to have one. */
export type LateCtx<A extends Auth, R extends Returns> = Omit<BareCtx<A>, 'tenantId'> & {
  tenantId: TenantId;
  commit(work: (ctx: RouteCtx<A>) => Promise<Reply<R>>): Promise<Reply<R>>;
};

type CtxOf<A extends Auth, T extends TransactionMode, R extends Returns> = T extends 'none'
  ? BareCtx<A>
  : T extends 'late'
    ? LateCtx<A, R>
    : RouteCtx<A>;

/** The nonces that this response's Content-Security-Policy allows, for handlers that send HTML. */
export type CspNonce = { script: string; style: string };

/** The request beside its validated input. `signal` fires when the handler's time is over. */
export type RouteRequest = RequestFacts & { signal: AbortSignal; cspNonce: CspNonce };

/** One route as data. */
export type Route<
  A extends Auth = Auth,
  T extends TransactionMode = TransactionMode,
  P extends Schema = Schema,
  Q extends Schema = Schema,
  B extends Schema = Schema,
  R extends Returns = Returns,
> = {
  readonly method: Method;
  /** `/v1/reservations/:id`; a path that starts with `/t/:slug` names its tenant. */
  readonly path: string;
  readonly summary: string;
  readonly auth: A;
  readonly params?: P;
  readonly query?: Q;
  readonly body?: B;
  readonly returns: R;
  /** Errors of the catalogue that this route answers on purpose, for the API description. */
  readonly errors?: readonly { readonly entry: CatalogueEntry }[];
  /** Mutating routes need an Idempotency-Key unless the reason why not is written here. */
  readonly idempotency?: { readonly none: string };
  /** A limit of this route's own, besides those per tenant and per principal. */
  readonly rateLimit?: RouteRateLimit;
  readonly transaction?: T;
  /** Default: the host's `handlerTimeoutMs` (30 s). Must stay below the idempotency lease. */
  readonly timeoutMs?: number;
  readonly handler: (
    ctx: CtxOf<A, T, R>,
    input: Input<P, Q, B>,
    request: RouteRequest,
  ) => Promise<Reply<NoInfer<R>>>;
};

/** A route in a list: its handler's types were checked where it was defined. */
export type AnyRoute = Omit<Route, 'handler'> & {
  readonly handler: (ctx: never, input: never, request: RouteRequest) => Promise<unknown>;
};

/**
 * Declares a route; the types of schemas, auth and transaction flow into its handler. NoInfer on the result: inside a
 * list of AnyRoute, TypeScript would otherwise infer the widest types from the list instead of the route's own.
 */
export function defineRoute<
  const A extends Auth,
  const R extends Returns,
  const T extends TransactionMode = 'whole',
  P extends Schema = undefined,
  Q extends Schema = undefined,
  B extends Schema = undefined,
>(route: Route<A, T, P, Q, B, R>): NoInfer<Route<A, T, P, Q, B, R>> {
  return route;
}

/** True when a route may change something: everything but GET. */
export function isMutating(route: Pick<AnyRoute, 'method'>): boolean {
  return route.method !== 'GET';
}

/** True when the route's answer is kept under the caller's Idempotency-Key. */
export function isIdempotent(route: Pick<AnyRoute, 'method' | 'idempotency'>): boolean {
  return isMutating(route) && route.idempotency === undefined;
}
