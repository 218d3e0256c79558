import { smsByMailChannel } from './adapters/sms-by-mail.ts';
import { smtpChannel } from './adapters/smtp.ts';
import type { MessageChannel } from './message-channel.ts';
import { type CatcherOptions, type MailCatcher, startMailCatcher } from './simulators/mail-catcher.ts';

/** The post of a demo: channels to pass to the service, and a page to look at what they carried. */
export type DemoPost = {
  readonly channels: readonly MessageChannel[];
  readonly catcher: MailCatcher;
  /** Where the messages can be read. */
  readonly pageUrl: string | undefined;
  close(): Promise<void>;
};

/**
 * E-mail and SMS that go to a mail catcher on this machine and nowhere else. SMS travel as mail to a gateway, so that a
 * guest who has only a telephone is written to as well, and a check-in has its welcome.
 */
export async function openDemoPost(options: CatcherOptions = {}): Promise<DemoPost> {
  const catcher = await startMailCatcher(options);
  const at = { host: catcher.host, port: catcher.port, tls: 'none' } as const;
  return {
    channels: [
      smtpChannel({ ...at, provider: 'mail_catcher', from: 'house@melmastoon.example' }),
      smsByMailChannel({
        ...at,
        provider: 'sms_catcher',
        from: 'house@melmastoon.example',
        gateway: 'sms.example',
      }),
    ],
    catcher,
    pageUrl: catcher.pageUrl,
    close: () => catcher.close(),
  };
}
