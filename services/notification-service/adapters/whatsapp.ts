import { parseId } from '@ghasi/domain-primitives/ids';
import { headerOf, isSignedBy } from '@ghasi/http/webhook-signature';
import { z } from 'zod';
import {
  type Answer,
  type Incoming,
  type Inquiry,
  type MessageChannel,
  type Outgoing,
  type Receipt,
  readTryKey,
  type Try,
  tryKey,
} from '../message-channel.ts';
import type { BounceReason, Locale } from '../model.ts';
import { type Connection, callProvider } from './provider-call.ts';

/** Outside a conversation WhatsApp takes approved templates only: one whose body is a single text will do. */
export type WhatsAppConnection = Connection & { readonly template?: string };

const problem = z.object({ code: z.int() });
const accepted = z.object({ messages: z.array(z.object({ id: z.string().min(1).max(200) })).length(1) });
const refused = z.object({ error: problem });

const status = z.object({
  id: z.string().min(1).max(200),
  status: z.enum(['sent', 'delivered', 'read', 'failed']),
  timestamp: z.string().regex(/^\d{1,12}$/),
  biz_opaque_callback_data: z.string(),
  errors: z.array(problem).optional(),
});
const webhook = z.object({
  entry: z
    .array(
      z.object({
        changes: z.array(z.object({ value: z.object({ statuses: z.array(status).max(100) }) })).max(100),
      }),
    )
    .max(100),
});

/** Codes of the Cloud API that mean something to us. */
const refusals: Readonly<Record<number, { reason: BounceReason; permanent: boolean }>> = {
  131026: { reason: 'unknown_address', permanent: true }, // not on WhatsApp
  131030: { reason: 'unknown_address', permanent: true },
  131047: { reason: 'blocked', permanent: true }, // outside the conversation window, and no approved template
  131049: { reason: 'blocked', permanent: false },
  131050: { reason: 'opted_out', permanent: true },
  368: { reason: 'blocked', permanent: true },
};

/**
 * WhatsApp through an API shaped like Meta's Cloud API. It has no key against repetition, so after silence it is asked
 * by our reference before anything is sent again; the reference also names the tenant in every signed receipt.
 */
export function whatsappChannel(at: WhatsAppConnection): MessageChannel {
  const path = `/v23.0/${encodeURIComponent(at.account)}/messages`;
  const headers = { authorization: `Bearer ${at.apiKey}`, 'content-type': 'application/json' };
  return {
    channel: 'whatsapp',
    provider: at.provider,
    isRemote: true,
    async send(message) {
      const body = JSON.stringify({
        messaging_product: 'whatsapp',
        recipient_type: 'individual',
        to: message.to.replaceAll(/\D/g, ''),
        biz_opaque_callback_data: referenceOf(message),
        ...contentOf(message, at.template),
      });
      const call = { method: 'POST', path, headers, body } as const;
      const { body: said } = await callProvider(at, call, z.union([accepted, refused]));
      if ('error' in said) return refusedBy(said.error.code);
      return { state: 'accepted', reference: said.messages[0]?.id ?? '' };
    },
    async inquire(which): Promise<Inquiry> {
      const query = new URLSearchParams({ biz_opaque_callback_data: referenceOf(which) });
      const call = { method: 'GET', path: `${path}?${query}`, headers } as const;
      const { body } = await callProvider(at, call, z.object({ statuses: z.array(status).max(1) }));
      const [known] = body.statuses;
      return known === undefined ? { state: 'absent' } : answerOf(known);
    },
    readReceipts: incoming => readReceipts(at.webhookSecret, incoming),
  };
}

const languageCodes: Readonly<Record<Locale, string>> = { en: 'en', ps: 'ps_AF', 'fa-AF': 'prs_AF' };

function contentOf({ text, locale }: Outgoing, template: string | undefined): object {
  if (template === undefined) return { type: 'text', text: { preview_url: false, body: text } };
  const parameters = [{ type: 'text', text }];
  const language = { code: languageCodes[locale] };
  return {
    type: 'template',
    template: { name: template, language, components: [{ type: 'body', parameters }] },
  };
}

const referenceOf = (which: Try) => `${which.tenantId}/${tryKey(which)}`;

function answerOf({ id, status: state, timestamp, errors = [] }: z.output<typeof status>): Answer {
  if (state === 'failed') return refusedBy(errors[0]?.code ?? 0);
  if (state === 'sent') return { state: 'accepted', reference: id };
  return { state: 'delivered', reference: id, at: new Date(Number(timestamp) * 1_000) };
}

function refusedBy(code: number): Answer {
  return { state: 'refused', ...(refusals[code] ?? { reason: 'provider_error', permanent: false }) };
}

function readReceipts(secret: string, { headers, bodySha256, body, now }: Incoming): Receipt[] | undefined {
  const signature = headerOf(headers, 'x-hub-signature-256').replace(/^sha256=/, '');
  const timestamp = headerOf(headers, 'x-hub-timestamp');
  if (!isSignedBy(secret, { timestamp, bodySha256, signature }, now)) return undefined;
  const parsed = webhook.safeParse(body);
  if (!parsed.success) return undefined;
  const statuses = parsed.data.entry.flatMap(({ changes }) => changes.flatMap(({ value }) => value.statuses));
  return statuses.flatMap(one => {
    const [tenantId = '', reference = ''] = one.biz_opaque_callback_data.split('/', 2);
    const key = readTryKey(reference);
    if (key === undefined) return [];
    const said = { ...answerOf(one), attempt: key.attempt };
    return [{ eventId: `${one.id}:${one.status}`, tenantId, messageId: parseId('msg', key.messageId), said }];
  });
}
