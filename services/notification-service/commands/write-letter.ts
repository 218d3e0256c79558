import type { Ctx } from '@ghasi/db/tenant-transaction';
import { idFromUuid, idToUuid, parseTenantId } from '@ghasi/domain-primitives/ids';
import { parseZone } from '@ghasi/domain-primitives/zone';
import { enqueue } from '@ghasi/jobs/enqueue';
import type { Logger } from '@ghasi/telemetry/logger';
import { type PropertyFacts, propertyOf } from '@melmastoon/property-service/contract';
import { contactOf } from '@melmastoon/reservation-service/contract/questions';
import type { z } from 'zod';
import {
  afterQuiet,
  type Channel,
  chooseChannels,
  isDue,
  isUrgent,
  leaseMs,
  type letterProblems,
  priorityOf,
  type Template,
} from '../model.ts';
import { isAddress, type Post, shown } from '../post.ts';
import { type Letter, lockLetter, updateLetter } from '../queries/letters.ts';
import { insertMessage, messageIdOf, messagesOf } from '../queries/messages.ts';
import { takeSlot } from '../queries/pace.ts';
import { findSettings, findWords, type Settings } from '../queries/settings.ts';
import { findSuppressions } from '../queries/suppressions.ts';
import { sendMessage } from '../tasks.ts';
import { type Composed, compose } from '../wording/compose.ts';
import { type House, houseName, type Source } from '../wording/values.ts';

/** Runs something in a transaction of its own: nobody is asked and nothing is sent inside one. */
export type InTransaction = <R>(work: (ctx: Ctx) => Promise<R>) => Promise<unknown>;

/** What a job needs besides the row: its transactions, its clock and its log. */
export type Running = { readonly transaction: InTransaction; readonly now: Date; readonly log: Logger };

type Contact = NonNullable<z.output<typeof contactOf.output>>;

/** What came of it. `asked_in_vain`: it is tried again. */
export type Written = 'written' | 'dropped' | 'asked_in_vain' | 'not_due';

/**
 * Puts a letter into words: asks whom to write to at this moment, chooses the channels, and leaves one message for each.
 * Runs again after a bounce, with the channels that are left.
 */
export async function writeLetterNow(
  { transaction, now, log }: Running,
  post: Post,
  { letterId }: { letterId: string },
): Promise<Written> {
  const taken: { letter?: Letter } = {};
  await transaction(async ctx => {
    const letter = await lockLetter(ctx.tx, letterId);
    if (letter.state !== 'waiting' || !isDue(letter.nextTryAt, now)) return;
    taken.letter = letter;
    const nextTryAt = new Date(now.getTime() + leaseMs);
    updateLetter(ctx, letterId, { nextTryAt, tries: letter.tries + 1 });
  });
  const { letter } = taken;
  if (letter === undefined) return 'not_due';
  const end = (problem: (typeof letterProblems)[number]) =>
    transaction(async ctx => updateLetter(ctx, letterId, { state: 'dropped', problem, nextTryAt: null }));
  if (letter.expiresAt <= now) {
    await end('expired');
    return 'dropped';
  }
  const asked = await ask(post, letter, log);
  if (typeof asked === 'string') {
    const nextTryAt = post.nextTry(letter.tries + 1, now);
    await transaction(async ctx => updateLetter(ctx, letterId, { problem: asked, nextTryAt }));
    return 'asked_in_vain';
  }
  const outcome: { dropped?: boolean } = {};
  await transaction(async ctx => {
    outcome.dropped = !(await write(ctx, post, { letter, ...asked }));
  });
  return outcome.dropped ? 'dropped' : 'written';
}

type Asked = { readonly contact: Contact; readonly property: PropertyFacts };

/** Both questions, outside any transaction. A booking we hear of before its owner answers for it is asked about again. */
async function ask(
  post: Post,
  letter: Letter,
  log: Logger,
): Promise<Asked | 'not_answered' | 'unknown_booking'> {
  const tenantId = parseTenantId(letter.tenantId);
  try {
    const reservationId = idFromUuid('rsv', letter.reservationId);
    const contact = await post.ask(contactOf, { tenantId, reservationId });
    const propertyId = idFromUuid('pro', letter.propertyId);
    const property = contact === null ? null : await post.ask(propertyOf, { tenantId, propertyId });
    return contact === null || property === null ? 'unknown_booking' : { contact, property };
  } catch (error) {
    log.warn({ err: error, letterId: letter.id }, 'Nobody answered whom to write to; asked again later');
    return 'not_answered';
  }
}

/** False: nobody is written to. `taken` is the letter as it was before we asked. */
async function write(
  ctx: Ctx,
  post: Post,
  { letter: taken, contact, property }: Asked & { letter: Letter },
): Promise<boolean> {
  const { tx } = ctx;
  const { id, template } = taken;
  // In one packet: the rest is read under the lock, and in vain only when the letter was withdrawn meanwhile.
  const [letter, settings, before, addresses, words] = await Promise.all([
    lockLetter(tx, id),
    findSettings(tx),
    messagesOf(tx, id),
    reachableBy(ctx, post, { template, contact }),
    findWords(tx, { template, locale: contact.locale }),
  ]);
  if (letter.state !== 'waiting') return false;
  const done = (problem: Letter['problem']) =>
    updateLetter(ctx, id, {
      state: problem === null ? 'written' : 'dropped',
      problem,
      nextTryAt: null,
    });
  if (template === 'stay_survey' && !settings.surveys) {
    done('surveys_off');
    return false;
  }
  const chosen = chooseChannels({
    template,
    modes: settings,
    reachable: [...addresses.keys()],
    tried: before.map(({ channel }) => channel),
    wanted: letter.wantedChannel,
  });
  if (chosen.length === 0 && before.length > 0) {
    done('no_channel_left');
    return false;
  }
  const source = sourceOf({ letter, contact, property });
  const composed = compose(words, source, contact.locale);
  const writing = { post, letter, contact, settings, composed, house: source.house };
  if (chosen.length === 0) leaveUnreachable(ctx, writing);
  for (const channel of chosen)
    await leave(ctx, { ...writing, channel, address: addresses.get(channel) ?? '' });
  done(null);
  return true;
}

/** The channels that have an address for this guest, are installed here, and were not refused by him. */
async function reachableBy(
  { tx, tenantId }: Ctx,
  post: Post,
  { template, contact }: { template: Template; contact: Contact },
): Promise<ReadonlyMap<Channel, string>> {
  const { phone, email } = contact;
  const known: [Channel, string | null][] = [
    ['email', email],
    ['sms', phone],
    ['whatsapp', phone],
    ['printed', ''],
  ];
  const usable = known.filter(
    (one): one is [Channel, string] =>
      one[1] !== null && post.installed.includes(one[0]) && isAddress(one[0], one[1]),
  );
  const hashes = usable.map(([channel, address]) => post.hashOf(tenantId, { channel, address }));
  const refused = (await findSuppressions(tx, hashes)).filter(
    ({ scope }) => scope === 'all' || template === 'stay_survey',
  );
  return new Map(
    usable.filter(
      ([channel], place) =>
        !refused.some(one => one.channel === channel && one.addressHash === hashes[place]),
    ),
  );
}

type Writing = {
  readonly post: Post;
  readonly letter: Letter;
  readonly contact: Contact;
  readonly settings: Settings;
  readonly composed: Composed;
  readonly house: House;
};

function rowOf({ tenantId, now, newId }: Ctx, { letter, contact }: Writing) {
  return {
    tenantId,
    id: idToUuid(newId('msg')),
    letterId: letter.id,
    reservationId: letter.reservationId,
    propertyId: letter.propertyId,
    guestId: idToUuid(contact.guestId),
    template: letter.template,
    locale: contact.locale,
    expiresAt: letter.expiresAt,
    createdAt: now,
  };
}

/** Nobody can be told: a row says so, for whoever looks at the booking. */
function leaveUnreachable(ctx: Ctx, writing: Writing): void {
  const channel = writing.letter.wantedChannel ?? (writing.contact.email === null ? 'sms' : 'email');
  insertMessage(ctx, { ...rowOf(ctx, writing), channel, status: 'unreachable' });
}

async function leave(
  ctx: Ctx,
  writing: Writing & { readonly channel: Channel; readonly address: string },
): Promise<void> {
  const { post, letter, contact, settings, composed, house, channel, address } = writing;
  const isShort = channel === 'sms' || channel === 'whatsapp';
  const nextTryAt = await leavesAt(ctx, writing);
  const row = rowOf(ctx, writing);
  insertMessage(ctx, {
    ...row,
    channel,
    status: 'queued',
    address,
    addressHash: post.hashOf(ctx.tenantId, { channel, address }),
    shownAddress: channel === 'printed' ? null : shown(channel, address),
    senderName: settings.senderName ?? houseName(house, contact.locale),
    replyTo: settings.replyTo,
    subject: composed.subject,
    body: isShort ? composed.short : composed.text,
    html: isShort ? null : composed.html,
    provider: post.channel(channel)?.provider ?? null,
    nextTryAt,
  });
  const messageId = messageIdOf(row);
  const options = { key: messageId, isNewKey: true, priority: priorityOf(letter.template), runAt: nextTryAt };
  ctx.ensure(enqueue(ctx, sendMessage, { messageId }, options));
}

/** At once for what somebody waits for; else at its turn, and a survey never at night. */
async function leavesAt(ctx: Ctx, { post, letter, settings, house }: Writing): Promise<Date> {
  if (isUrgent(letter.template)) return ctx.now;
  const slot = await takeSlot(ctx, post.pace);
  const due = slot > ctx.now ? slot : ctx.now;
  if (letter.template !== 'stay_survey') return due;
  return afterQuiet({ from: settings.quietFrom, until: settings.quietUntil }, house.zone, due);
}

function sourceOf({ letter, contact, property }: Asked & { letter: Letter }): Source {
  const { name, code, arrival, departure, total } = contact;
  return {
    facts: letter.facts,
    addressee: { name, code, arrival, departure, total },
    house: {
      name: property.name,
      zone: parseZone(property.zone),
      checkInFrom: property.checkInFrom,
      checkOutUntil: property.checkOutUntil,
    },
  };
}
