import { parseId } from '@ghasi/domain-primitives/ids';
import { headerOf, isSignedBy } from '@ghasi/http/webhook-signature';
import { z } from 'zod';
import {
  type Answer,
  type Incoming,
  type Inquiry,
  type MessageChannel,
  type Receipt,
  readTryKey,
  tryKey,
} from '../message-channel.ts';
import type { BounceReason } from '../model.ts';
import { type Connection, callProvider } from './provider-call.ts';

const states = ['queued', 'sent', 'delivered', 'undelivered', 'failed'] as const;

const message = z.object({
  sid: z.string().min(1).max(100),
  status: z.enum(states),
  errorCode: z.int().nullable(),
  updatedAt: z.iso.datetime(),
});
const refusal = z.object({ code: z.int(), message: z.string() });

const receipt = z.object({
  id: z.string().min(1).max(100),
  account: z.string(),
  clientReference: z.string(),
  ...message.shape,
});

/** Codes of Twilio that mean something to us; others are the provider's own trouble and may pass. */
const refusals: Readonly<Record<number, { reason: BounceReason; permanent: boolean }>> = {
  21211: { reason: 'unknown_address', permanent: true }, // no such number
  21614: { reason: 'unknown_address', permanent: true }, // not a mobile number
  21610: { reason: 'opted_out', permanent: true }, // answered STOP
  30003: { reason: 'unknown_address', permanent: false }, // switched off
  30005: { reason: 'unknown_address', permanent: true }, // unknown to its network
  30006: { reason: 'unknown_address', permanent: true }, // a landline
  30007: { reason: 'blocked', permanent: true }, // taken for spam
  30036: { reason: 'expired', permanent: true },
};

/**
 * SMS through a REST provider shaped like Twilio: form bodies, basic sign-in, status callbacks. The try's key goes along
 * as Idempotency-Key, so a repeated call finds the message of the first; and as ClientReference into every receipt.
 */
export function smsChannel(at: Connection): MessageChannel {
  const path = `/2010-04-01/Accounts/${encodeURIComponent(at.account)}/Messages.json`;
  const authorization = `Basic ${Buffer.from(`${at.account}:${at.apiKey}`).toString('base64')}`;
  return {
    channel: 'sms',
    provider: at.provider,
    isRemote: true,
    async send({ tenantId, to, text, validForMs, receiptUrl, ...which }) {
      const key = tryKey(which);
      const validity = Math.round(validForMs / 1_000);
      const form = new URLSearchParams({
        To: to.replaceAll(/[^\d+]/g, ''),
        From: at.account,
        Body: text,
        ClientReference: key,
        Account: tenantId,
        StatusCallback: receiptUrl,
        ValidityPeriod: String(Math.min(Math.max(validity, 1), 36_000)),
      });
      const headers = {
        authorization,
        'content-type': 'application/x-www-form-urlencoded',
        'idempotency-key': key,
      };
      const call = { method: 'POST', path, headers, body: form.toString() } as const;
      const { body } = await callProvider(at, call, z.union([message, refusal]));
      return 'code' in body ? refusedBy(body.code) : answerOf(body);
    },
    async inquire(which): Promise<Inquiry> {
      const query = new URLSearchParams({ ClientReference: tryKey(which) });
      const call = { method: 'GET', path: `${path}?${query}`, headers: { authorization } } as const;
      const { body } = await callProvider(at, call, z.object({ messages: z.array(message).max(1) }));
      const [known] = body.messages;
      return known === undefined ? { state: 'absent' } : answerOf(known);
    },
    readReceipts: incoming => readReceipts(at.webhookSecret, incoming),
  };
}

function answerOf({ sid, status, errorCode, updatedAt }: z.output<typeof message>): Answer {
  if (status === 'delivered') return { state: 'delivered', reference: sid, at: new Date(updatedAt) };
  if (status === 'undelivered' || status === 'failed') return refusedBy(errorCode ?? 0);
  return { state: 'accepted', reference: sid };
}

function refusedBy(code: number): Answer {
  return { state: 'refused', ...(refusals[code] ?? { reason: 'provider_error', permanent: false }) };
}

function readReceipts(secret: string, { headers, bodySha256, body, now }: Incoming): Receipt[] | undefined {
  const [, timestamp = '', signature = ''] =
    /^t=(\d+),v1=([0-9a-f]+)$/.exec(headerOf(headers, 'sms-signature')) ?? [];
  if (!isSignedBy(secret, { timestamp, bodySha256, signature }, now)) return undefined;
  const parsed = receipt.safeParse(body);
  const key = parsed.success ? readTryKey(parsed.data.clientReference) : undefined;
  if (!parsed.success || key === undefined) return undefined;
  const { id: eventId, account: tenantId } = parsed.data;
  const said = { ...answerOf(parsed.data), attempt: key.attempt };
  return [{ eventId, tenantId, messageId: parseId('msg', key.messageId), said }];
}
