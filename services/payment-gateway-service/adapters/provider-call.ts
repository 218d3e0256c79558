import { seconds } from '@ghasi/domain-primitives/duration';
import { fromDecimal, type Money } from '@ghasi/domain-primitives/money';
import type { z } from 'zod';
import { NoAnswer } from '../gateway.ts';

/** Where a provider is and how we sign in there. */
export type Connection = {
  readonly provider: string;
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly webhookSecret: string;
  /** How long we wait for an answer; default 10 s. */
  readonly timeoutMs?: number;
};

/** One call. `key` makes it safe to repeat; which header carries it differs between providers. */
export type ProviderCall = {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: object;
  readonly key?: { readonly header: string; readonly value: string };
};

const DEFAULT_TIMEOUT_MS = seconds(10);

/**
 * Calls a provider and returns its answer if it is one: 2xx and 4xx with JSON of the expected shape. Everything else,
 * above all silence, is {@link NoAnswer}: the call may have had its effect.
 */
export async function callProvider<T>(
  at: Connection,
  call: ProviderCall,
  answer: z.ZodType<T>,
): Promise<{ status: number; body: T | undefined }> {
  const what = `${at.provider} ${call.method} ${call.path}`;
  let status: number;
  let text: string;
  try {
    const reply = await fetch(new URL(call.path, at.baseUrl), {
      method: call.method,
      headers: {
        authorization: `Bearer ${at.apiKey}`,
        accept: 'application/json',
        ...(call.body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(call.key === undefined ? {} : { [call.key.header]: call.key.value }),
      },
      ...(call.body === undefined ? {} : { body: JSON.stringify(call.body) }),
      redirect: 'error', // a provider that moves is reconfigured, not followed
      signal: AbortSignal.timeout(at.timeoutMs ?? DEFAULT_TIMEOUT_MS),
    });
    status = reply.status;
    text = await reply.text();
  } catch (error) {
    throw new NoAnswer(what, { cause: error });
  }
  if (status >= 500 || status === 408 || status === 429) throw new NoAnswer(`${what} (${status})`);
  const parsed = answer.safeParse(jsonOf(text));
  if (parsed.success) return { status, body: parsed.data };
  if (status >= 400) return { status, body: undefined };
  throw new NoAnswer(`${what}: it is not the JSON we know`);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The provider's decimal amount in our exponents; an amount nobody can read is no answer. */
export function moneyOf(value: string, currency: string): Money {
  try {
    return fromDecimal(value, currency);
  } catch (error) {
    throw new NoAnswer(`the amount ${value} ${currency}`, { cause: error });
  }
}

/** Provider codes as events may carry them; anything else is left out. */
export function codeOf(text: string | null | undefined): string | null {
  return text !== null && text !== undefined && /^[\w.:-]{1,60}$/.test(text) ? text : null;
}
