import { seconds } from '@ghasi/domain-primitives/duration';
import nodemailer, { type NodemailerError, type SendMailOptions } from 'nodemailer';
import { type Answer, type MessageChannel, NoAnswer, type Outgoing } from '../message-channel.ts';
import { type BounceReason, isRightToLeft } from '../model.ts';

/** Where mail leaves. */
export type SmtpConnection = {
  /** Its name in events; default `smtp`. */
  readonly provider?: string;
  readonly host: string;
  readonly port: number;
  /** `implicit`: TLS from the first byte (465); `starttls`: required after the greeting; `none`: this machine only. */
  readonly tls: 'implicit' | 'starttls' | 'none';
  readonly user?: string;
  readonly password?: string;
  /** The address in From, e.g. `rooms@hotel.example`. Its domain also ends every Message-ID. */
  readonly from: string;
  /** How long we wait for an answer; default 10 s. */
  readonly timeoutMs?: number;
};

/** Sends one mail; answers, or throws NoAnswer. */
export type SendMail = (mail: SendMailOptions) => Promise<Answer>;

const DEFAULT_TIMEOUT_MS = seconds(10);
const local = ['127.0.0.1', '::1', 'localhost'];

/**
 * E-mail by SMTP. What the server says to RCPT or DATA is its word on this message; everything else (no connection, a
 * refused sign-in, a cut after DATA) is no answer, and the same mail goes again under the same Message-ID, by which mail
 * programs know a repetition.
 */
export function smtpChannel(at: SmtpConnection): MessageChannel {
  const send = openSmtp(at);
  const provider = at.provider ?? 'smtp';
  return {
    channel: 'email',
    provider,
    isRemote: true,
    send: message => send(mailOf(message, at.from)),
    readReceipts: () => undefined, // bounces that come later as mail go to Reply-To, where people read them
  };
}

/** A connection per mail, on purpose: a pool sends again by itself, and the outcome would be anybody's guess. */
export function openSmtp(at: SmtpConnection): SendMail {
  if (at.tls === 'none' && !local.includes(at.host))
    throw new TypeError(`mail to ${at.host} must be encrypted: set tls to implicit or starttls`);
  const timeout = at.timeoutMs ?? DEFAULT_TIMEOUT_MS;
  const transport = nodemailer.createTransport({
    host: at.host,
    port: at.port,
    secure: at.tls === 'implicit',
    requireTLS: at.tls === 'starttls',
    ignoreTLS: at.tls === 'none',
    ...(at.user === undefined ? {} : { auth: { user: at.user, pass: at.password ?? '' } }),
    connectionTimeout: timeout,
    greetingTimeout: timeout,
    socketTimeout: timeout,
    disableFileAccess: true, // nothing in a message may name a file or an address to be fetched
    disableUrlAccess: true,
  });
  const provider = at.provider ?? 'smtp';
  return async mail => {
    try {
      const { messageId } = await transport.sendMail(mail);
      return { state: 'accepted', reference: messageId };
    } catch (error) {
      return refusalOf(error as NodemailerError, provider);
    }
  };
}

/** `smtp://user:password@host:587` or `smtps://…:465` as people write it into the environment. */
export function smtpConnection(url: string, from: string): SmtpConnection {
  const { protocol, hostname: host, port, username, password } = new URL(url);
  if (protocol !== 'smtp:' && protocol !== 'smtps:') throw new TypeError('not smtp:// or smtps://');
  const isImplicit = protocol === 'smtps:';
  const sign =
    username === '' ? {} : { user: decodeURIComponent(username), password: decodeURIComponent(password) };
  return {
    host,
    port: port === '' ? (isImplicit ? 465 : 587) : Number(port),
    tls: isImplicit ? 'implicit' : local.includes(host) ? 'none' : 'starttls',
    from,
    ...sign,
  };
}

function mailOf(message: Outgoing, from: string): SendMailOptions {
  const { messageId, to, senderName, replyTo, subject, text, html, locale } = message;
  return {
    // Objects, not text: a comma or an angle bracket in a name stays in the name.
    from: { name: senderName, address: from },
    to: { name: '', address: to },
    envelope: { from, to: [to] },
    ...(replyTo === null ? {} : { replyTo: { name: senderName, address: replyTo } }),
    subject,
    text,
    ...(html === null ? {} : { html }),
    messageId: `<${messageId}@${domainOf(from)}>`,
    textEncoding: isRightToLeft(locale) ? 'B' : 'Q',
    headers: {
      'Content-Language': locale,
      'Auto-Submitted': 'auto-generated', // RFC 3834: holiday answers stay away
      ...(replyTo === null ? {} : { 'List-Unsubscribe': `<mailto:${replyTo}?subject=unsubscribe>` }),
    },
  };
}

/** What stands after the @. */
export function domainOf(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1);
}

// Not MAIL FROM: a server that does not take our sender speaks of our account, and somebody mends that.
const aboutThisMail = ['RCPT TO', 'DATA'];

function refusalOf(
  { code, command, responseCode, response = '', permanent }: NodemailerError,
  provider: string,
): Answer {
  if (code === 'EENVELOPE' && responseCode === undefined)
    return { state: 'refused', reason: 'unknown_address', permanent: true };
  const isWord = responseCode !== undefined && aboutThisMail.includes(command ?? '');
  if (!isWord) throw new NoAnswer(`${provider} (${code ?? 'no code'})`);
  return { state: 'refused', reason: reasonOf(responseCode, response), permanent: permanent === true };
}

/** RFC 3463 where the server speaks it, else the plain reply code. */
function reasonOf(code: number, response: string): BounceReason {
  const [, topic, detail] = /\b[45]\.(\d{1,3})\.(\d{1,3})\b/.exec(response) ?? [];
  if (topic === '2' && detail === '2') return 'mailbox_full';
  if (topic === '1' || (topic === '2' && detail === '1')) return 'unknown_address';
  if (topic === '7') return 'blocked';
  if (topic !== undefined) return 'provider_error';
  if (code === 552 || code === 452) return 'mailbox_full';
  if (code === 550 || code === 551 || code === 553) return 'unknown_address';
  return code === 554 ? 'blocked' : 'provider_error';
}
