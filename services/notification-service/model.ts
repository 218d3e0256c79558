import { days, hours, minutes, seconds } from '@ghasi/domain-primitives/duration';
import { coreErrors } from '@ghasi/domain-primitives/errors';
import { addDays } from '@ghasi/domain-primitives/local-date';
import { instantAt, localDateIn, offsetMinutes, type Zone } from '@ghasi/domain-primitives/zone';
import { type bounceReasons, channels, type templates } from './contract.ts';
import { errors } from './errors.ts';

export type Channel = (typeof channels)[number];
export type Template = (typeof templates)[number];
export type BounceReason = (typeof bounceReasons)[number];

/** Languages we write in, and those that run from right to left. */
export const locales = ['en', 'ps', 'fa-AF'] as const;
export type Locale = (typeof locales)[number];
export const isRightToLeft = (locale: Locale): boolean => locale !== 'en';

/**
 * Life of a message. `sending`: the provider was called and has not answered, or is being called. `unreachable`: the
 * house has no channel to this guest; it is here so that somebody sees it.
 */
export const messageStatuses = [
  'queued',
  'sending',
  'dispatched',
  'delivered',
  'bounced',
  'unreachable',
] as const;
export type MessageStatus = (typeof messageStatuses)[number];

/** Which state may follow which. What has arrived stays: nothing follows `delivered`. */
export const nextStatuses: Readonly<Record<MessageStatus, readonly MessageStatus[]>> = {
  queued: ['sending', 'bounced'],
  sending: ['dispatched', 'delivered', 'bounced'],
  dispatched: ['delivered', 'bounced'],
  bounced: ['sending', 'delivered'],
  delivered: [],
  unreachable: [],
};

/** Refuses a step that the table of transitions does not have. */
export function assertNext(from: MessageStatus, to: MessageStatus): void {
  if (!nextStatuses[from].includes(to)) throw errors.MESSAGE_TRANSITION_REFUSED({ from, to });
}

/** Life of a letter: a fact that has to be written, was written, or never will be. */
export const letterStates = ['waiting', 'written', 'dropped'] as const;
export const letterProblems = [
  'not_answered',
  'unknown_booking',
  'expired',
  'superseded',
  'surveys_off',
  'no_channel_left',
] as const;

/** What somebody says about one try of a message: its provider in an answer, or later in a receipt. */
export type Said = { readonly attempt: number } & (
  | { readonly state: 'accepted'; readonly reference: string }
  | { readonly state: 'delivered'; readonly reference: string; readonly at: Date }
  | { readonly state: 'refused'; readonly reason: BounceReason; readonly permanent: boolean }
);

/** What is to be done about it. `first`: nobody was told yet that the provider has it. */
export type Settled =
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'dispatched'; readonly reference: string }
  | { readonly kind: 'delivered'; readonly reference: string; readonly at: Date; readonly first: boolean }
  | { readonly kind: 'bounced'; readonly reason: BounceReason; readonly permanent: boolean };

type Standing = { readonly status: MessageStatus; readonly attempt: number; readonly isDispatched: boolean };

/**
 * Takes in what is said, in whatever order it arrives: arrived outranks refused, refused outranks accepted, and a
 * refusal or acceptance of an earlier try says nothing about this one. So every order ends in the same state.
 */
export function settle({ status, attempt, isDispatched }: Standing, said: Said): Settled {
  if (status === 'delivered' || status === 'unreachable' || status === 'queued') return { kind: 'unchanged' };
  if (said.state === 'delivered') {
    const { reference, at } = said;
    return { kind: 'delivered', reference, at, first: !isDispatched };
  }
  if (said.attempt !== attempt || status === 'bounced') return { kind: 'unchanged' };
  if (said.state === 'refused') {
    const { reason, permanent } = said;
    return { kind: 'bounced', reason, permanent };
  }
  return status === 'sending' ? { kind: 'dispatched', reference: said.reference } : { kind: 'unchanged' };
}

/** A row that a worker took is left to it for this long. Longer than its job may run (50 s). */
export const leaseMs = minutes(1);

/** True when the time has come. A second early counts: the clock of the database and ours are not one. */
export function isDue(nextTryAt: Date | null, now: Date): boolean {
  return nextTryAt !== null && nextTryAt.getTime() <= now.getTime() + seconds(1);
}

/** How soon a try follows the first one, and how long two are apart at most. */
export type Patience = { readonly firstMs: number; readonly mostMs: number };
export const patience: Patience = { firstMs: seconds(2), mostMs: minutes(15) };

/** When to try again: soon after the first call, then twice as long each time. */
export function nextTry(calls: number, now: Date, { firstMs, mostMs }: Patience = patience): Date {
  const wait = Math.min(firstMs * 2 ** Math.max(0, calls - 1), mostMs);
  return new Date(now.getTime() + wait);
}

/**
 * How long a fact is worth writing about. An event that is older when it arrives (a replay of history, a service that
 * was away) writes nothing; a message that has not left by then never does.
 */
export const usefulForMs: Readonly<Record<Template, number>> = {
  booking_confirmed: days(2),
  hold_expired: hours(12),
  payment_failed: hours(12),
  booking_cancelled: days(2),
  booking_modified: days(2),
  dates_changed: days(2),
  dates_unavailable: days(2),
  key_ready: hours(24),
  welcome: hours(12),
  receipt: days(5),
  stay_survey: days(5),
  staff_alert: hours(12),
};

/** Priority of the work, 1 to 10: a check-in waits 30 s for its welcome (SAGA-35), a survey for nobody. */
export function priorityOf(template: Template): number {
  if (isUrgent(template)) return 9;
  return template === 'stay_survey' ? 2 : 6;
}

/** Somebody stands at the desk and waits for it: never held back by what else its house sends. */
export function isUrgent(template: Template): boolean {
  return template === 'welcome' || template === 'key_ready' || template === 'staff_alert';
}

/** What the desk can hand over on paper, since the guest is there. */
export function isGivenAtDesk(template: Template): boolean {
  return template === 'welcome' || template === 'key_ready' || template === 'receipt';
}

/** a failed payment and a lapsed hold are no cancellation. */
export function cancelTemplate(
  reason: 'hold_expired' | 'payment_failed' | 'guest_request' | 'operator_request',
): Template {
  return reason === 'hold_expired' || reason === 'payment_failed' ? reason : 'booking_cancelled';
}

/** When a channel is used: for everybody, for guests without e-mail, or never. */
export const phoneModes = ['always', 'without_email', 'off'] as const;
export const emailModes = ['always', 'off'] as const;
export type Modes = {
  readonly email: (typeof emailModes)[number];
  readonly sms: (typeof phoneModes)[number];
  readonly whatsapp: (typeof phoneModes)[number];
};

export type ChannelQuestion = {
  readonly template: Template;
  readonly modes: Modes;
  /** Channels that the installation has, the guest has an address for, and the guest did not refuse. */
  readonly reachable: readonly Channel[];
  /** Channels over which this letter bounced already. */
  readonly tried: readonly Channel[];
  /** What somebody at the desk asked for; null: nobody did. */
  readonly wanted: Channel | null;
};

/**
 * The channels of a letter: e-mail where there is one, SMS and WhatsApp as the house says, and at least one of them for
 * a guest without e-mail. Paper only for what is given at the desk, and only when nothing else works.
 */
export function chooseChannels({ template, modes, reachable, tried, wanted }: ChannelQuestion): Channel[] {
  const open = channels.filter(one => reachable.includes(one) && !tried.includes(one));
  if (wanted !== null) return open.filter(one => one === wanted);
  const chosen = open.filter(one => one !== 'printed' && modes[one] === 'always');
  if (chosen.length > 0) return chosen;
  const instead = (['whatsapp', 'sms'] as const).find(
    one => modes[one] === 'without_email' && open.includes(one),
  );
  if (instead !== undefined) return [instead];
  return isGivenAtDesk(template) && open.includes('printed') ? ['printed'] : [];
}

/** From and until on the clock of the house; the night may lie between them. */
export type QuietHours = { readonly from: string; readonly until: string };

/** The moment itself, or the end of the quiet hours it falls into. */
export function afterQuiet(quiet: QuietHours, zone: Zone, moment: Date): Date {
  const [from, until] = [minuteOf(quiet.from), minuteOf(quiet.until)];
  const minute = wallMinute(zone, moment);
  const isQuiet = from <= until ? minute >= from && minute < until : minute >= from || minute < until;
  if (!isQuiet) return moment;
  const today = localDateIn(zone, moment);
  return instantAt(zone, minute < until ? today : addDays(today, 1), quiet.until);
}

function wallMinute(zone: Zone, moment: Date): number {
  const utc = Math.floor(moment.getTime() / 60_000);
  const day = 24 * 60;
  return (((utc + offsetMinutes(zone, moment)) % day) + day) % day;
}

function minuteOf(time: string): number {
  return Number(time.slice(0, 2)) * 60 + Number(time.slice(3));
}

/** Fails loudly where a row must be there because we hold its id. */
export function found<T>(row: T | undefined, entity: string): T {
  if (row === undefined) throw coreErrors.NOT_FOUND({ entity });
  return row;
}
