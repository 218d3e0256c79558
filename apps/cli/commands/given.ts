import { hostname, userInfo } from 'node:os';
import type { Change } from '@ghasi/brokers/operations/operation';
import { parseTenantId, type TenantId } from '@ghasi/domain-primitives/ids';
import { cliErrors } from '../errors.ts';

/** Flags of every command that looks at messages. */
export type LookFlags = { dataDir?: string; json?: boolean; tenant?: string };

/** Flags of every command that changes something. */
export type ChangeFlags = LookFlags & { actor?: string; reason?: string; dryRun?: boolean };

/** Who changes what and why, for the audit trail. A dry run needs no reason. */
export function changeOf({ actor, reason = '', dryRun = false }: ChangeFlags): Change {
  if (reason.trim() === '' && !dryRun) throw cliErrors.REASON_MISSING();
  return { actor: actor ?? `${userInfo().username}@${hostname()}`, reason, dryRun };
}

/** The tenant of a flag, as a part that is simply not there when the flag is not. */
export function tenantOf({ tenant }: { tenant?: string }): { tenantId?: TenantId } {
  return tenant === undefined ? {} : { tenantId: parseTenantId(tenant) };
}

const moment = /^(\d{4}-\d\d-\d\d)[Tt ]\d\d:\d\d(:\d\d(\.\d+)?)?([Zz]|[+-]\d\d:\d\d)$/;

/** A moment as RFC 3339 writes it; a day the calendar does not have is refused. */
export function momentOf(flag: string, text: string): Date {
  const day = moment.exec(text)?.[1];
  const found = new Date(text.toUpperCase());
  const isDay = day !== undefined && !Number.isNaN(found.getTime()) && midnight(day).startsWith(day);
  if (!isDay) throw cliErrors.BAD_MOMENT({ flag, text });
  return found;
}

function midnight(day: string): string {
  const found = new Date(`${day}T00:00:00Z`);
  return Number.isNaN(found.getTime()) ? '' : found.toISOString();
}

/** `since` and `until` as parts that are not there when their flags are not. */
export function spanOf(flags: { since?: string; until?: string }): { since?: Date; until?: Date } {
  const since = flags.since === undefined ? undefined : momentOf('--since', flags.since);
  const until = flags.until === undefined ? undefined : momentOf('--until', flags.until);
  if (since !== undefined && until !== undefined && until <= since)
    throw cliErrors.BAD_SPAN({ since: since.toISOString(), until: until.toISOString() });
  return { ...(since && { since }), ...(until && { until }) };
}

/** A whole number of at least `least`. */
export function numberOf(what: string, text: string, least = 1): number {
  const most = Number.MAX_SAFE_INTEGER;
  const found = Number(text);
  if (!/^\d{1,16}$/.test(text) || found < least || found > most)
    throw cliErrors.BAD_NUMBER({ what, text, least, most });
  return found;
}
