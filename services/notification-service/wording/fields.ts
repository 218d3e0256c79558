import { errors } from '../errors.ts';
import type { Template } from '../model.ts';
import type { TemplateText } from './language.ts';
import { MOST_PARTS, smsLength } from './sms-length.ts';

/** Every placeholder there is. */
export const fields = [
  'guest',
  'hotel',
  'code',
  'arrival',
  'departure',
  'nights',
  'checkIn',
  'checkOut',
  'total',
  'payment',
  'why',
  'refund',
  'changes',
  'previousArrival',
  'previousDeparture',
  'wantedArrival',
  'wantedDeparture',
  'medium',
  'keyFrom',
  'keyUntil',
  'balance',
  'alert',
] as const;
export type Field = (typeof fields)[number];

type Knowledge = {
  /** What the template can say. */
  readonly knows: readonly Field[];
  /** What its body and its short text must say, whoever words them: a confirmation without a code is none. */
  readonly mustSay: readonly Field[];
};

const dates = ['arrival', 'departure'] as const;
const hours = ['checkIn', 'checkOut'] as const;

/** What each template knows of its fact. */
export const knowledge: Readonly<Record<Template, Knowledge>> = {
  booking_confirmed: {
    knows: ['guest', 'hotel', 'code', ...dates, 'nights', ...hours, 'total', 'payment'],
    mustSay: ['code', 'checkIn', 'total', 'payment'],
  },
  hold_expired: { knows: ['guest', 'hotel', 'code', ...dates, 'why'], mustSay: [...dates] },
  payment_failed: { knows: ['guest', 'hotel', 'code', ...dates], mustSay: [...dates] },
  booking_cancelled: {
    knows: ['guest', 'hotel', 'code', ...dates, 'refund'],
    mustSay: ['code', ...dates, 'refund'],
  },
  booking_modified: {
    knows: ['guest', 'hotel', 'code', ...dates, ...hours, 'changes'],
    mustSay: ['code', 'changes'],
  },
  dates_changed: {
    knows: ['guest', 'hotel', 'code', ...dates, 'nights', ...hours, 'previousArrival', 'previousDeparture'],
    mustSay: ['code', ...dates],
  },
  dates_unavailable: {
    knows: ['guest', 'hotel', 'code', ...dates, 'wantedArrival', 'wantedDeparture'],
    mustSay: ['code', ...dates],
  },
  key_ready: {
    knows: ['guest', 'hotel', 'code', 'medium', 'keyFrom', 'keyUntil'],
    mustSay: ['keyFrom', 'keyUntil'],
  },
  welcome: { knows: ['guest', 'hotel', 'code', 'departure', 'checkOut'], mustSay: ['hotel'] },
  receipt: {
    knows: ['guest', 'hotel', 'code', ...dates, 'nights', 'total', 'balance'],
    mustSay: ['code', 'total', 'balance'],
  },
  stay_survey: { knows: ['guest', 'hotel', 'code', ...dates], mustSay: ['hotel'] },
  staff_alert: { knows: ['hotel', 'code', 'alert'], mustSay: ['alert'] },
};

const placeholder = /\{([^{}]*)\}/g;

/** The placeholders of a text, each once, in the order they appear. */
export function placeholdersIn(text: string): string[] {
  return [...new Set([...text.matchAll(placeholder)].map(([, name]) => name as string))];
}

/** Refuses words that name what the template does not know, leave out what it must say, or make a very long SMS. */
export function assertWording(template: Template, text: TemplateText): void {
  const { knows, mustSay } = knowledge[template];
  for (const part of ['subject', 'body', 'short'] as const) {
    const named = placeholdersIn(text[part]);
    const odd = named.find(one => !(knows as readonly string[]).includes(one));
    const brace = /[{}]/.test(text[part].replaceAll(placeholder, ''));
    if (odd !== undefined || brace)
      throw errors.PLACEHOLDER_UNKNOWN({
        template,
        placeholder: odd === undefined ? 'a single brace' : `{${odd.slice(0, 40)}}`,
        known: knows.map(one => `{${one}}`).join(' '),
      });
    const missing = part === 'subject' ? undefined : mustSay.find(one => !named.includes(one));
    if (missing !== undefined)
      throw errors.PLACEHOLDER_MISSING({ part, template, placeholder: `{${missing}}` });
  }
  const { parts } = smsLength(text.short);
  if (parts > MOST_PARTS) throw errors.TEXT_TOO_LONG({ parts, most: MOST_PARTS });
}

/** Puts values in. What has no value vanishes, and so does a line that has nothing else to say. */
export function fill(text: string, value: (field: string) => string): string {
  const lines = text.split('\n').map(line => {
    const filled = line.replaceAll(placeholder, (_, name: string) => value(name)).trimEnd();
    return line.trim() !== '' && filled.trim() === '' ? undefined : filled;
  });
  return lines
    .filter(line => line !== undefined)
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();
}
