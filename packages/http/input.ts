import { coreErrors } from '@ghasi/domain-primitives/errors';
import type { z } from 'zod';
import type { ProblemIssue } from './problem.ts';
import type { AnyRoute } from './route.ts';

/** The parts of a request as they arrived: decoded, not yet believed. */
export type RawInput = { params: unknown; query: unknown; body: unknown };

const parts = ['params', 'query', 'body'] as const;
const MAX_ISSUES = 50;
const MAX_TEXT = 200;

/**
 * Validates path, query and body against the route's strict schemas. All that is wrong is reported at once, as
 * VALIDATION_FAILED with `issues`; a part without a schema must be empty.
 */
export function parseInput(route: Pick<AnyRoute, 'params' | 'query' | 'body'>, raw: RawInput): RawInput {
  const issues: ProblemIssue[] = [];
  const parsed: RawInput = { params: undefined, query: undefined, body: undefined };
  for (const part of parts) {
    const schema = route[part];
    if (schema === undefined) {
      if (!isEmptyPart(raw[part])) issues.push(unexpected(part));
      continue;
    }
    const result = schema.safeParse(raw[part]);
    if (result.success) parsed[part] = result.data;
    else issues.push(...result.error.issues.flatMap(issue => describe(part, issue)));
  }
  if (issues.length > 0) throw coreErrors.VALIDATION_FAILED({ issues: issues.slice(0, MAX_ISSUES) });
  return parsed;
}

function isEmptyPart(value: unknown): boolean {
  return (
    value === undefined || (typeof value === 'object' && value !== null && Object.keys(value).length === 0)
  );
}

function unexpected(part: string): ProblemIssue {
  return { path: part, code: 'unrecognized_keys', message: `This request takes no ${part}` };
}

function describe(part: string, issue: z.core.$ZodIssue): ProblemIssue[] {
  const path = [part, ...issue.path.map(String)].join('.').slice(0, MAX_TEXT);
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map(key => ({
      path: `${path}.${key}`.slice(0, MAX_TEXT),
      code: issue.code,
      message: 'This key is not known here',
    }));
  }
  return [{ path, code: issue.code ?? 'custom', message: issue.message.slice(0, MAX_TEXT) }];
}
