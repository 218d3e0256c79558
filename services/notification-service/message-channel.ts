import type { Id, TenantId } from '@ghasi/domain-primitives/ids';
import type { BounceReason, Channel, Locale, Said } from './model.ts';

/** A message as a provider is given it. */
export type Outgoing = {
  readonly tenantId: TenantId;
  readonly messageId: Id<'msg'>;
  /** Goes up with every definite no: with {@link tryKey} the same try is sent once, and a new try is a new one. */
  readonly attempt: number;
  /** An e-mail address, or a number such as +93700123456. */
  readonly to: string;
  readonly senderName: string;
  readonly replyTo: string | null;
  readonly subject: string;
  readonly text: string;
  /** Null where only text travels. */
  readonly html: string | null;
  readonly locale: Locale;
  /** Of no use after so many milliseconds. */
  readonly validForMs: number;
  /** Where the provider tells what became of it. */
  readonly receiptUrl: string;
};

/** What identifies one try, for us and for the provider. */
export type Try = Pick<Outgoing, 'tenantId' | 'messageId' | 'attempt'>;

/** What a provider says about a try it has heard of. */
export type Answer =
  | { readonly state: 'accepted'; readonly reference: string }
  | { readonly state: 'delivered'; readonly reference: string; readonly at: Date }
  | {
      readonly state: 'refused';
      readonly reason: BounceReason;
      /** This address or number will never work. */
      readonly permanent: boolean;
    };

/** The answer to a question: it may never have heard of it. */
export type Inquiry = Answer | { readonly state: 'absent' };

/** A receipt whose signature fits: about one of our messages, to be taken in once per `eventId`. */
export type Receipt = {
  readonly eventId: string;
  readonly tenantId: string;
  readonly messageId: Id<'msg'>;
  readonly said: Said;
};

/** A webhook as it arrived. */
export type Incoming = {
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Of the raw body, lower-case hex: what the signature covers. */
  readonly bodySha256: string;
  readonly body: unknown;
  readonly now: Date;
};

/**
 * A way to reach somebody. Every call is safe to repeat for the same try: it carries a key, a reference or a
 * Message-ID of ours. A call that gets no answer throws {@link NoAnswer} and may have had its effect.
 */
export type MessageChannel = {
  readonly channel: Channel;
  /** Its name in events, e.g. `smtp`. */
  readonly provider: string;
  /** False for paper: nobody outside is called. */
  readonly isRemote: boolean;
  send(message: Outgoing): Promise<Answer>;
  /**
   * Asks what became of a try that got no answer, before it is sent again. Without it the try is simply repeated:
   * the provider knows its key, or (SMTP) the reader's mail program its Message-ID.
   */
  inquire?(which: Try): Promise<Inquiry>;
  /** Reads a webhook; `undefined` when it is forged, stale or not understood. */
  readReceipts(incoming: Incoming): readonly Receipt[] | undefined;
};

/** Nobody knows what happened: a timeout, a cut, or an answer that is none. Never an outcome, and never an address. */
export class NoAnswer extends Error {
  constructor(what: string) {
    super(`no answer to ${what}: the outcome is unknown`);
    this.name = 'NoAnswer';
  }
}

/** The key of one try: the same for every repetition, another for the next try. */
export function tryKey({ messageId, attempt }: Pick<Try, 'messageId' | 'attempt'>): string {
  return `${messageId}.${attempt}`;
}

/** Reads a key of ours from a provider's receipt. */
export function readTryKey(text: string): { messageId: string; attempt: number } | undefined {
  const [, messageId, attempt] = /^(msg_[0-7][0-9A-HJKMNP-TV-Z]{25})\.([1-9]\d{0,3})$/.exec(text) ?? [];
  if (messageId === undefined || attempt === undefined) return undefined;
  return { messageId, attempt: Number(attempt) };
}
