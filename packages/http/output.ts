import { validateHeaderName, validateHeaderValue } from 'node:http';
import type { AppError } from '@ghasi/domain-primitives/errors';
import { CheckedJson } from './checked-json.ts';
import { isEmpty, mediaTypeOf } from './content.ts';
import { problemHeaders, problemOf } from './problem.ts';
import type { AnyRoute, ReplyCookie, Returns } from './route.ts';

/** A reply as it goes over the wire, before the host's own headers: what an Idempotency-Key replays byte for byte. */
export type Rendered = {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
  cookies: readonly ReplyCookie[];
};

/** A handler broke its own declaration. The text is for the log; the client hears INTERNAL. */
export class BadReply extends Error {
  constructor(route: Pick<AnyRoute, 'method' | 'path'>, reason: string) {
    super(`${route.method} ${route.path} returned a reply it did not declare: ${reason}`);
    this.name = 'BadReply';
  }
}

const json = { 'content-type': 'application/json; charset=utf-8' };

type Declared = Pick<AnyRoute, 'method' | 'path'> & { readonly returns: Returns };

/**
 * Turns a handler's reply into bytes through the schema of its status: fields outside the schema never leave, and a
 * reply that does not fit its schema is a BadReply instead of a leak.
 */
export function renderReply(route: Declared, reply: unknown): Rendered {
  const {
    status,
    body,
    headers = {},
    cookies = [],
  } = (reply ?? {}) as {
    status?: number;
    body?: unknown;
    headers?: Record<string, string>;
    cookies?: readonly ReplyCookie[];
  };
  const schema = status === undefined ? undefined : route.returns[status];
  if (status === undefined || schema === undefined) throw new BadReply(route, `status ${status}`);
  const checked = checkHeaders(route, headers);
  if (isEmpty(schema)) {
    if (body !== undefined) throw new BadReply(route, `a body with status ${status}`);
    return { status, headers: checked, body: Buffer.alloc(0), cookies };
  }
  if (body instanceof CheckedJson) {
    if (body.schema !== schema) throw new BadReply(route, 'a body that passed another schema');
    return { status, headers: { ...checked, ...json }, body: Buffer.from(body.text), cookies };
  }
  const result = schema.safeParse(body);
  if (!result.success) {
    // Paths and codes only: a message or value could carry what the schema was to keep in.
    const issues = result.error.issues.map(issue => `${issue.path.join('.') || 'body'} ${issue.code}`);
    throw new BadReply(route, issues.join(', '));
  }
  const mediaType = mediaTypeOf(schema);
  if (mediaType !== undefined) {
    return {
      status,
      headers: { ...checked, 'content-type': mediaType },
      body: Buffer.from(result.data as string | Uint8Array),
      cookies,
    };
  }
  return {
    status,
    headers: { ...checked, ...json },
    body: Buffer.from(JSON.stringify(result.data)),
    cookies,
  };
}

/** Turns an error of the catalogue into bytes. */
export function renderProblem(error: AppError, correlationId: string): Rendered {
  const problem = problemOf(error, correlationId);
  return {
    status: problem.status,
    headers: problemHeaders(error),
    body: Buffer.from(JSON.stringify(problem)),
    cookies: [],
  };
}

/** Headers the host alone decides. */
const ownedByHost = new Set([
  'set-cookie',
  'content-length',
  'transfer-encoding',
  'connection',
  'content-type',
]);

/** Refuses CR, LF and other splitters (safety rule 39) while a bad reply can still be rolled back. */
function checkHeaders(route: Declared, headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => {
      const lower = name.toLowerCase();
      if (ownedByHost.has(lower)) throw new BadReply(route, `header ${lower}`);
      try {
        validateHeaderName(lower);
        validateHeaderValue(lower, value);
      } catch {
        throw new BadReply(route, `header ${JSON.stringify(lower)} with a value that cannot be sent`);
      }
      return [lower, value];
    }),
  );
}
