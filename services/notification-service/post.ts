import { createHmac } from 'node:crypto';
import type { Ask } from '@ghasi/backbone/question';
import type { TenantId } from '@ghasi/domain-primitives/ids';
import { printedChannel } from './adapters/printed.ts';
import type { MessageChannel } from './message-channel.ts';
import { type Channel, nextTry, type Patience, patience, type Template, usefulForMs } from './model.ts';

/** What an installation decides about messages. */
export type PostParts = {
  readonly ask: Ask;
  /** The ways it can send, one per channel; paper is always there. Default none: no host is ever contacted unasked. */
  readonly channels?: readonly MessageChannel[];
  /** Keys the hashes of addresses: nobody can try numbers until one fits. */
  readonly secret: string;
  /** Where providers reach this installation with receipts. */
  readonly publicUrl?: string;
  /** Facts older than this write to nobody, whatever their template says; default: only the template decides. */
  readonly oldestFactMs?: number;
  /** How soon and how seldom a provider that does not answer is called again; default 2 s to 15 min. */
  readonly patience?: Patience;
  /** Ordinary messages of one tenant per minute, and how many may leave at once; default 120 and 60. */
  readonly pace?: { readonly perMinute: number; readonly burst: number };
};

/** What the use cases of this service share. */
export type Post = {
  readonly ask: Ask;
  readonly installed: readonly Channel[];
  readonly pace: { readonly perMinute: number; readonly burst: number };
  nextTry(calls: number, now: Date): Date;
  channel(channel: Channel): MessageChannel | undefined;
  provider(name: string): MessageChannel | undefined;
  receiptUrl(provider: string, tenantId: TenantId): string;
  /** The keyed hash of an address, in one spelling; every tenant has its own, so two lists cannot be compared. */
  hashOf(tenantId: string, of: { channel: Channel; address: string }): string;
  /** How long a fact is worth writing about. */
  usefulFor(template: Template): number;
};

/** Checks the channels: one of each kind, one of each name. */
export function openPost(parts: PostParts): Post {
  const all = [...(parts.channels ?? []), printedChannel()];
  const names = all.map(({ provider }) => provider);
  const kinds = all.map(({ channel }) => channel);
  if (new Set(names).size !== names.length || new Set(kinds).size !== kinds.length)
    throw new TypeError(`two channels of one kind or of one name: ${names.join(', ')}`);
  if (parts.secret.length < 16) throw new TypeError('the secret of notification-service is too short');
  const base = parts.publicUrl ?? 'http://localhost';
  const key = createHmac('sha256', parts.secret).update('notification.address').digest();
  const oldest = parts.oldestFactMs ?? Number.POSITIVE_INFINITY;
  return {
    ask: parts.ask,
    installed: kinds,
    pace: parts.pace ?? { perMinute: 120, burst: 60 },
    nextTry: (calls, now) => nextTry(calls, now, parts.patience ?? patience),
    channel: kind => all.find(one => one.channel === kind),
    provider: name => all.find(one => one.provider === name),
    receiptUrl: (provider, tenantId) => `${base}/api/v1/message-receipts/${provider}/${tenantId}`,
    hashOf: (tenantId, { channel, address }) =>
      createHmac('sha256', key)
        .update(`${tenantId}:${channel}:${spelling(channel, address)}`)
        .digest('hex'),
    usefulFor: template => Math.min(usefulForMs[template], oldest),
  };
}

/** One address has one spelling: mail hosts ignore case, and people put spaces into numbers. */
function spelling(channel: Channel, address: string): string {
  return channel === 'email' ? address.trim().toLowerCase() : address.replaceAll(/[^\d+]/g, '');
}

/** An address as it may be shown to whoever looks at the list: enough to recognise, too little to use. */
export function shown(channel: Channel, address: string): string {
  if (channel !== 'email') return `…${address.slice(-3)}`;
  const at = address.lastIndexOf('@');
  return `${address.slice(0, 1)}…${address.slice(at)}`;
}

/** True for something a channel can be given. Commas, brackets and line breaks would make several addresses of one. */
export function isAddress(channel: Channel, address: string): boolean {
  if (channel === 'printed') return true;
  if (channel === 'email')
    return address.length <= 254 && /^[^\s@<>(),;:"\\[\]\p{Cc}]+@[^\s@<>(),;:"\\[\]\p{Cc}]+$/u.test(address);
  return /^\+?[0-9][0-9 ()-]{5,24}$/.test(address);
}
