import type { AddressInfo, Socket } from 'node:net';
import {
  SMTPServer,
  type SMTPServerDataStream,
  type SMTPServerError,
  type SMTPServerSession,
} from 'smtp-server';
import { type MailPage, startMailPage } from './mail-page.ts';
import { type ReadMail, readMail } from './read-mail.ts';

/** A mail that arrived. */
export type CaughtMail = ReadMail & {
  readonly from: string;
  readonly to: readonly string[];
  readonly at: Date;
};

/**
 * How the next mail goes wrong. `cut`: the line ends when the client greets; `lost`: after the mail was taken, before
 * the client hears of it; `silent`: nobody answers; otherwise a reply to RCPT or DATA.
 */
export type MailFault = 'cut' | 'lost' | 'silent' | { readonly at: 'rcpt' | 'data'; readonly reply: string };

/** Ports, 0 for free ones; `page: false` for tests, which look at `caught`. */
export type CatcherOptions = { smtpPort?: number; pagePort?: number; page?: boolean; keep?: number };

/** A real SMTP server on this machine that keeps what it is sent and passes nothing on. */
export class MailCatcher {
  /** Newest last. */
  readonly caught: CaughtMail[] = [];
  readonly host = '127.0.0.1';
  readonly #faults: MailFault[] = [];
  readonly #sockets = new Map<number, Socket>();
  readonly #keep: number;
  readonly #server: SMTPServer;
  #page: MailPage | undefined;

  constructor(keep = 500) {
    this.#keep = keep;
    this.#server = new SMTPServer({
      disabledCommands: ['AUTH', 'STARTTLS'],
      disableReverseLookup: true,
      logger: false,
      size: 1_000_000,
      rejectOversized: true,
      onMailFrom: (_address, session, done) => (this.#next('cut', session) ? undefined : done()),
      onRcptTo: (_address, _session, done) => done(this.#refusal('rcpt')),
      onData: (stream, session, done) => void this.#take(stream, session).then(done, done),
    });
    this.#server.server.on('connection', socket => {
      const port = socket.remotePort ?? 0;
      this.#sockets.set(port, socket);
      socket.on('close', () => this.#sockets.delete(port));
    });
    this.#server.on('error', () => {}); // a client that went away is no concern of ours
  }

  async listen({ smtpPort = 0, pagePort = 0, page = true }: CatcherOptions = {}): Promise<void> {
    await new Promise<void>(resolve => this.#server.listen(smtpPort, this.host, resolve));
    if (page) this.#page = await startMailPage(() => this.caught, pagePort);
  }

  get port(): number {
    return (this.#server.server.address() as AddressInfo).port;
  }

  /** Where people look at what was caught. */
  get pageUrl(): string | undefined {
    return this.#page?.url;
  }

  /** The next mails go wrong like this, one after the other. */
  misbehave(...faults: MailFault[]): void {
    this.#faults.push(...faults);
  }

  async close(): Promise<void> {
    await this.#page?.close();
    for (const socket of this.#sockets.values()) socket.destroy();
    await new Promise<void>(resolve => this.#server.close(() => resolve()));
  }

  /** Takes the fault if it is next; `cut` ends the line at once. */
  #next(fault: 'cut' | 'lost' | 'silent', session: SMTPServerSession): boolean {
    if (this.#faults[0] !== fault) return false;
    this.#faults.shift();
    if (fault !== 'silent') this.#sockets.get(session.remotePort)?.destroy();
    return true;
  }

  #refusal(at: 'rcpt' | 'data'): SMTPServerError | null {
    const [fault] = this.#faults;
    if (typeof fault !== 'object' || fault.at !== at) return null;
    this.#faults.shift();
    const responseCode = Number(fault.reply.slice(0, 3));
    return Object.assign(new Error(fault.reply.slice(4)), { responseCode });
  }

  async #take(stream: SMTPServerDataStream, session: SMTPServerSession): Promise<SMTPServerError | null> {
    const chunks: Buffer[] = [];
    for await (const chunk of stream) chunks.push(chunk as Buffer);
    const refusal = this.#refusal('data');
    if (refusal !== null || stream.sizeExceeded) return refusal;
    const { mailFrom, rcptTo } = session.envelope;
    this.caught.push({
      ...readMail(Buffer.concat(chunks).toString('latin1')),
      from: mailFrom === false ? '' : mailFrom.address,
      to: rcptTo.map(({ address }) => address),
      at: new Date(),
    });
    if (this.caught.length > this.#keep) this.caught.shift();
    if (this.#next('lost', session) || this.#next('silent', session)) return new Promise(() => {});
    return null;
  }
}

/** Starts a catcher with its page: what the demo sends can be looked at, and reaches nobody. */
export async function startMailCatcher(options: CatcherOptions = {}): Promise<MailCatcher> {
  const catcher = new MailCatcher(options.keep);
  await catcher.listen(options);
  return catcher;
}
