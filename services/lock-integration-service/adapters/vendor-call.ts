import { seconds } from '@ghasi/domain-primitives/duration';
import type { TenantId } from '@ghasi/domain-primitives/ids';
import type { z } from 'zod';
import { VendorFailure, type VendorName } from '../lock-vendor.ts';

/** Where a vendor is, and the account a house has there. */
export type Connection<Account> = {
  readonly baseUrl: string;
  /** The account of a tenant; undefined: it has none, so nothing is called for it. */
  accountOf(tenantId: TenantId): Account | undefined;
  /** How long we wait for an answer; default 8 s, the slow end of what vendors take (PERF-08). */
  readonly timeoutMs?: number;
  /** Vendors want to know what time we think it is; default: this machine's clock. */
  readonly now?: () => Date;
};

/** One call. */
export type VendorCall = {
  readonly vendor: VendorName;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON, or a form where it is URLSearchParams. */
  readonly body?: object;
};

/** What came back, if it is an answer at all. */
export type Answered<T> = { readonly status: number; readonly body: T };

const DEFAULT_TIMEOUT_MS = seconds(8);

/**
 * Calls a vendor. 2xx and 4xx with JSON of the expected shape are answers; 429 is a refusal for now; silence, cuts, 5xx
 * and everything unreadable leave the outcome unknown. Errors name the path and never a body, a query or a header.
 */
export async function callVendor<T>(
  at: { readonly baseUrl: string; readonly timeoutMs?: number },
  call: VendorCall,
  answer: z.ZodType<T>,
): Promise<Answered<T>> {
  const what = `${call.vendor} ${call.method} ${call.path}`;
  const { body } = call;
  const isForm = body instanceof URLSearchParams;
  const url = new URL(call.path, at.baseUrl);
  for (const [name, value] of Object.entries(call.query ?? {})) url.searchParams.set(name, value);
  let reply: Response;
  let text: string;
  try {
    reply = await fetch(url, {
      method: call.method,
      headers: {
        accept: 'application/json',
        ...(body === undefined || isForm ? {} : { 'content-type': 'application/json' }),
        ...call.headers,
      },
      ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
      redirect: 'error', // a vendor that moves is configured anew, not followed
      signal: AbortSignal.timeout(at.timeoutMs ?? DEFAULT_TIMEOUT_MS),
    });
    text = await reply.text();
  } catch (error) {
    const failure = isTimeout(error) ? 'timeout' : 'unreachable';
    throw new VendorFailure(what, { failure, isUnknown: true });
  }
  const { status } = reply;
  if (status === 429) {
    const after = Number(reply.headers.get('retry-after'));
    const retryAfterMs = Number.isFinite(after) && after > 0 ? seconds(after) : undefined;
    throw new VendorFailure(what, {
      failure: 'rate_limited',
      isUnknown: false,
      vendorCode: '429',
      retryAfterMs,
    });
  }
  if (status >= 500)
    throw new VendorFailure(what, { failure: 'bad_reply', isUnknown: true, vendorCode: String(status) });
  const parsed = answer.safeParse(jsonOf(text));
  if (!parsed.success) throw new VendorFailure(what, { failure: 'bad_reply', isUnknown: true });
  return { status, body: parsed.data };
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.name === 'TimeoutError';
}

function jsonOf(text: string): unknown {
  if (text === '') return {};
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Something borrowed for a while: a token or a session. */
export type Pass = { readonly value: string; readonly expiresAt: number };

/**
 * Keeps one pass per tenant and gets another one when it is over or the vendor no longer takes it; callers at the same
 * moment wait for the same one.
 */
export class Passes<P extends Pass> {
  readonly #get: (tenantId: TenantId) => Promise<P>;
  readonly #now: () => Date;
  readonly #kept = new Map<TenantId, Promise<P>>();

  constructor(get: (tenantId: TenantId) => Promise<P>, now: () => Date = () => new Date()) {
    this.#get = get;
    this.#now = now;
  }

  /** Runs a call with a pass; `isRefused` says that the vendor did not take it, and then it is tried with a new one. */
  async use<R>(
    tenantId: TenantId,
    call: (pass: P) => Promise<R>,
    isRefused: (result: R) => boolean,
  ): Promise<R> {
    const pass = await this.#current(tenantId);
    const result = await call(pass);
    if (!isRefused(result)) return result;
    this.#kept.delete(tenantId);
    return call(await this.#current(tenantId));
  }

  async #current(tenantId: TenantId): Promise<P> {
    const known = this.#kept.get(tenantId);
    if (known !== undefined) {
      const pass = await known.catch(() => undefined);
      if (pass !== undefined && pass.expiresAt > this.#now().getTime()) return pass;
      if (this.#kept.get(tenantId) !== known) return this.#current(tenantId); // somebody is getting one
    }
    const fresh = this.#get(tenantId);
    this.#kept.set(tenantId, fresh);
    fresh.catch(() => this.#kept.delete(tenantId));
    return fresh;
  }
}

/** The account of a house, or a failure that says that it has none. */
export function accountIn<A>(
  at: Connection<A>,
  { tenantId, vendor }: { tenantId: TenantId; vendor: VendorName },
): A {
  const account = at.accountOf(tenantId);
  if (account !== undefined) return account;
  throw new VendorFailure(`${vendor} sign-in`, {
    failure: 'not_authorised',
    isUnknown: false,
    vendorCode: 'no_account',
  });
}
