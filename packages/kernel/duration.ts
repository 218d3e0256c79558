import { coreErrors } from './errors.ts';

const unitMs = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

type Unit = keyof typeof unitMs;

/** Seconds as milliseconds; fractions are rounded to whole milliseconds. */
export function seconds(count: number): number {
  return inMs(count, 's');
}

/** Minutes as milliseconds. */
export function minutes(count: number): number {
  return inMs(count, 'm');
}

/** Hours as milliseconds. */
export function hours(count: number): number {
  return inMs(count, 'h');
}

/** Spans of 24 hours as milliseconds. Not calendar days: for those use `addDays` of local-date. */
export function days(count: number): number {
  return inMs(count, 'd');
}

/** Reads '500ms', '10s', '15m', '12h' or '30d' as milliseconds: one whole number, one unit, nothing else. */
export function parseDuration(text: string): number {
  const [, count, unit] = /^(0|[1-9]\d{0,14})(ms|s|m|h|d)$/.exec(text) ?? [];
  if (count === undefined || unit === undefined) {
    throw coreErrors.MALFORMED_DURATION({ reason: `"${text}" is not like 500ms, 10s, 15m, 12h or 30d` });
  }
  return inMs(Number(count), unit as Unit);
}

function inMs(count: number, unit: Unit): number {
  const ms = Math.round(count * unitMs[unit]);
  if (!Number.isSafeInteger(ms)) {
    throw coreErrors.MALFORMED_DURATION({ reason: `${count}${unit} is not a whole number of milliseconds` });
  }
  return ms;
}
