import { code, locale, wallTime } from '@melmastoon/catalog/hotel-parts';
import { baseVersion, idText, instant, line, paragraphs } from '@melmastoon/catalog/parts';
import { z } from 'zod';
import { bounceReasons, channels, templates } from '../contract.ts';
import { emailModes, messageStatuses, phoneModes } from '../model.ts';

const mailAddress = z.email().max(254);
/** A message as the desk sees it in a list. `to` is enough to recognise an address, too little to use it. */
export const messageView = z.strictObject({
  messageId: idText('msg'),
  reservationId: idText('rsv'),
  template: z.enum(templates),
  channel: z.enum(channels),
  locale,
  status: z.enum(messageStatuses),
  reason: z.enum(bounceReasons).nullable(),
  to: z.string().nullable(),
  provider: z.string().nullable(),
  attempt: z.int(),
  calls: z.int(),
  nextTryAt: instant.nullable(),
  createdAt: instant,
  dispatchedAt: instant.nullable(),
  deliveredAt: instant.nullable(),
  bouncedAt: instant.nullable(),
});

/** How an SMS travels. */
export const smsView = z.strictObject({ encoding: z.enum(['gsm7', 'ucs2']), units: z.int(), parts: z.int() });

/** A message with its words; they are null once the house's retention time is over. */
export const messageText = z.strictObject({
  ...messageView.shape,
  subject: z.string().nullable(),
  text: z.string().nullable(),
  html: z.string().nullable(),
  sms: smsView.nullable(),
});

export const oneMessage = z.strictObject({ messageId: idText('msg') });
export const messagesOf = z.strictObject({ reservationId: idText('rsv') });

/** Once more, by a channel of one's choice or whatever works. */
export const resending = z.strictObject({ channel: z.enum(channels).nullable().default(null) });

const words = { subject: line(200), body: paragraphs(4_000), short: line(600) };

/** Which words. */
export const wordsPlace = z.strictObject({ template: z.enum(templates), locale });
export const newWords = z.strictObject({ version: baseVersion, ...words });
export const wordsTried = z.strictObject(words);

/** The words of a template in one language; version 0: they are ours. */
export const wordsView = z.strictObject({
  template: z.enum(templates),
  locale,
  subject: z.string(),
  body: z.string(),
  short: z.string(),
  version: z.int(),
  isOwn: z.boolean(),
  /** What may stand in braces, and what must. */
  knows: z.array(z.string()),
  mustSay: z.array(z.string()),
});

/** What words look like with values in them. */
export const previewView = z.strictObject({
  subject: z.string(),
  text: z.string(),
  html: z.string(),
  short: z.string(),
  sms: smsView,
});

/** How a house writes. Quiet hours are on its own clock and hold for surveys. */
export const settingsView = z.strictObject({
  senderName: line(80).nullable(),
  replyTo: mailAddress.nullable(),
  email: z.enum(emailModes),
  sms: z.enum(phoneModes),
  whatsapp: z.enum(phoneModes),
  surveys: z.boolean(),
  quietFrom: wallTime,
  quietUntil: wallTime,
  retentionDays: z.int().min(1).max(400),
  version: baseVersion,
});

const reachableBy = z.enum(['email', 'sms', 'whatsapp']);
const address = z.string().trim().min(3).max(254);

/** Somebody does not want to be written to. */
export const newOptOut = z.strictObject({ channel: reachableBy, address, scope: z.enum(['surveys', 'all']) });
export const optOutLifted = z.strictObject({ channel: reachableBy, address });

/** The list names no address: only its keyed hash is kept. */
export const optOutView = z.strictObject({
  channel: z.enum(channels),
  scope: z.enum(['surveys', 'all']),
  source: z.enum(['staff', 'bounce', 'provider']),
  since: instant,
});

/** Which provider calls, and for whom. */
export const receiptParams = z.strictObject({ provider: code, account: z.uuid() });

/** A receipt's body is the provider's: any JSON object, read by its adapter after the signature was checked. */
export const anyObject = z.record(z.string().max(200), z.json());
