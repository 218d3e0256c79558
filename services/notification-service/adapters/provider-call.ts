import { seconds } from '@ghasi/domain-primitives/duration';
import type { z } from 'zod';
import { NoAnswer } from '../message-channel.ts';

/** Where a provider is and how we sign in there. */
export type Connection = {
  /** Its name in events, e.g. `twilio`. */
  readonly provider: string;
  readonly baseUrl: string;
  /** Our account or sending number there. */
  readonly account: string;
  readonly apiKey: string;
  readonly webhookSecret: string;
  /** How long we wait for an answer; default 10 s. */
  readonly timeoutMs?: number;
};

/** One call; nothing of it may name the reader in its path. */
export type ProviderCall = {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
};

const DEFAULT_TIMEOUT_MS = seconds(10);

/**
 * Calls a provider and returns its answer if it is one: 2xx and 4xx with JSON of the expected shape. Everything else,
 * above all silence, is {@link NoAnswer}: the call may have had its effect. Its cause is not kept, it could say to whom
 * we write.
 */
export async function callProvider<T>(
  at: Connection,
  call: ProviderCall,
  answer: z.ZodType<T>,
): Promise<{ status: number; body: T }> {
  const what = `${at.provider} ${call.method}`;
  let status: number;
  let text: string;
  try {
    const reply = await fetch(new URL(call.path, at.baseUrl), {
      method: call.method,
      headers: { accept: 'application/json', ...call.headers },
      ...(call.body === undefined ? {} : { body: call.body }),
      redirect: 'error', // a provider that moves is reconfigured, not followed
      signal: AbortSignal.timeout(at.timeoutMs ?? DEFAULT_TIMEOUT_MS),
    });
    status = reply.status;
    text = await reply.text();
  } catch {
    throw new NoAnswer(what);
  }
  // 401 and 403 are about our account, not about this message: somebody mends it, and it is sent then.
  if (status >= 500 || [401, 403, 408, 429].includes(status)) throw new NoAnswer(`${what} (${status})`);
  const parsed = answer.safeParse(jsonOf(text));
  if (!parsed.success) throw new NoAnswer(`${what}: it is not the JSON we know`);
  return { status, body: parsed.data };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
