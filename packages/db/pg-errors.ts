/** What PostgreSQL says about a failed statement, as far as callers decide by it. */
type PgError = Error & { code?: string; constraint?: string; cause?: unknown };

/** The SQLSTATE of a database error, looking through wrappers such as Drizzle's; undefined for other errors. */
export function sqlState(error: unknown): string | undefined {
  const found = pgError(error);
  return found?.code;
}

/** True for 23505, optionally of one named constraint. */
export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  const found = pgError(error);
  return found?.code === '23505' && (constraint === undefined || found.constraint === constraint);
}

/** True for 23P01: two rows that an exclusion constraint keeps apart. */
export function isExclusionViolation(error: unknown, constraint?: string): boolean {
  const found = pgError(error);
  return found?.code === '23P01' && (constraint === undefined || found.constraint === constraint);
}

/** True for 42501: a missing grant, or a row that row-level security refuses. */
export function isPrivilegeViolation(error: unknown): boolean {
  return sqlState(error) === '42501';
}

/** Serialization failure or deadlock: the same transaction may well succeed when run again (ledger X-020). */
export function isTransient(error: unknown): boolean {
  const state = sqlState(error);
  return state === '40001' || state === '40P01';
}

/** True when a value is one the database can never take: no JSON, a NUL, too long for its index (classes 22 and 54). */
export function isUnfitValue(error: unknown): boolean {
  return /^(22|54)/.test(sqlState(error) ?? '');
}

const LOST = new Set(['ECONNRESET', 'ECONNREFUSED', 'EPIPE', 'ETIMEDOUT', 'UNAVAILABLE', 'COMMIT_UNKNOWN']);

/** True when the connection or the server is the matter, and not the statement. */
export function isConnectionLoss(error: unknown): boolean {
  for (const at of causesOf(error)) {
    const { code = '' } = at as { code?: string };
    if (LOST.has(code) || /^(08...|57P0[123]|53300)$/.test(code)) return true;
    if (
      /^Connection terminated|^Client (was closed|has encountered a connection error)|^Query read timeout/.test(
        at.message,
      )
    )
      return true;
  }
  return false;
}

/** An error and what caused it, each once: whoever throws may have made a circle of them, and following that would never end. */
export function causesOf(error: unknown): ReadonlySet<Error> {
  const found = new Set<Error>();
  for (let at = error; at instanceof Error && !found.has(at); at = at.cause) found.add(at);
  return found;
}

function pgError(error: unknown): PgError | undefined {
  for (const at of causesOf(error)) {
    const code = (at as PgError).code;
    if (typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code)) return at as PgError;
  }
  return undefined;
}
