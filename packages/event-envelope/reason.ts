import type { z } from 'zod';

const SHOWN = 5;
const MAX_LENGTH = 1_000;

/** The issues of a failed parse in one line: `metadata.outboxId: not a ULID; tenantId: is missing`. Never shows the values. */
export function reasonOf(error: z.ZodError): string {
  const lines = error.issues.slice(0, SHOWN).map(issue => {
    const place = issue.path.map(String).join('.');
    const what = isMissing(issue) ? 'is missing' : issue.message;
    return place === '' ? what : `${place}: ${what}`;
  });
  const more = error.issues.length - lines.length;
  const text = more > 0 ? `${lines.join('; ')}; and ${more} more` : lines.join('; ');
  return text.slice(0, MAX_LENGTH).toWellFormed();
}

/** Zod says it in the message only. */
function isMissing({ code, message }: z.core.$ZodIssue): boolean {
  return code === 'invalid_type' && message.endsWith('received undefined');
}
