import { STATUS_CODES } from 'node:http';
import { AppError, coreErrors } from '@ghasi/domain-primitives/errors';
import { httpErrors } from './errors.ts';

/** One thing wrong with the input: where (`body.guest.name`) and what. */
export type ProblemIssue = { path: string; code: string; message: string };

/** An error as clients see it (RFC 9457): catalogue code and text, never a stack, SQL or a file name. */
export type Problem = {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: string;
  qualifiedCode: string;
  correlationId: string;
  issues?: ProblemIssue[];
};

const BUSY_SECONDS = 3;

export const PROBLEM_MEDIA_TYPE = 'application/problem+json';

/** Describes any error for a client. Whatever is not in a catalogue becomes INTERNAL: its text may hold anything. */
export function problemOf(error: unknown, correlationId: string): Problem {
  const known = error instanceof AppError ? error : coreErrors.INTERNAL();
  const issues = known.params.issues as ProblemIssue[] | undefined;
  return {
    type: `urn:problem:${known.qualifiedCode}`,
    title: STATUS_CODES[known.status] ?? 'Error',
    status: known.status,
    detail: known.message,
    code: known.code,
    qualifiedCode: known.qualifiedCode,
    correlationId,
    ...(issues === undefined ? {} : { issues }),
  };
}

/** Headers that belong to an error beside its body. */
export function problemHeaders(error: unknown): Record<string, string> {
  const headers: Record<string, string> = { 'content-type': PROBLEM_MEDIA_TYPE };
  if (coreErrors.RATE_LIMITED.is(error)) {
    headers['retry-after'] = String(error.params.retryAfterSeconds);
  }
  if (httpErrors.TOO_BUSY.is(error)) headers['retry-after'] = String(BUSY_SECONDS);
  if (coreErrors.UNAUTHENTICATED.is(error)) headers['www-authenticate'] = 'Bearer';
  return headers;
}
