import { idFromUuid } from '@ghasi/domain-primitives/ids';
import type { z } from 'zod';
import type { messageText, messageView, wordsView } from './contract/resources.ts';
import type { Locale, Template } from './model.ts';
import { type Message, messageIdOf } from './queries/messages.ts';
import { knowledge } from './wording/fields.ts';
import type { TemplateText } from './wording/language.ts';
import { smsLength } from './wording/sms-length.ts';

/** A message for the desk. */
export function viewMessage(message: Message): z.input<typeof messageView> {
  const { template, channel, locale, status, reason, provider, attempt, calls } = message;
  const moment = (at: Date | null) => at?.toISOString() ?? null;
  return {
    messageId: messageIdOf(message),
    reservationId: idFromUuid('rsv', message.reservationId),
    ...{ template, channel, locale, status, reason, provider, attempt, calls },
    to: message.shownAddress,
    nextTryAt: moment(message.nextTryAt),
    createdAt: message.createdAt.toISOString(),
    dispatchedAt: moment(message.dispatchedAt),
    deliveredAt: moment(message.deliveredAt),
    bouncedAt: moment(message.bouncedAt),
  };
}

/** A message with its words, to be read aloud or printed. */
export function viewText(message: Message): z.input<typeof messageText> {
  const { subject, body: text, html, channel } = message;
  const sms = channel === 'sms' && text !== null ? smsLength(text) : null;
  return { ...viewMessage(message), subject, text, html, sms };
}

/** Words for whoever wants to change them. */
export function viewWords(
  place: { template: Template; locale: Locale },
  { subject, body, short, version }: TemplateText & { version: number },
): z.input<typeof wordsView> {
  const { knows, mustSay } = knowledge[place.template];
  const own = { version, isOwn: version > 0 };
  return { ...place, subject, body, short, ...own, knows: [...knows], mustSay: [...mustSay] };
}
