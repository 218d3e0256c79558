import type { MessageChannel } from '../message-channel.ts';
import { domainOf, openSmtp, type SmtpConnection } from './smtp.ts';

/** A gateway that makes an SMS of a mail to `<number>@<gateway>`. */
export type SmsGateway = SmtpConnection & { readonly gateway: string };

/**
 * SMS for houses that have a mail-to-SMS gateway and no contract with a REST provider; in the demo, the way by which an
 * SMS becomes something that can be looked at.
 */
export function smsByMailChannel(at: SmsGateway): MessageChannel {
  const send = openSmtp(at);
  return {
    channel: 'sms',
    provider: at.provider ?? 'mail_gateway',
    isRemote: true,
    send({ to, text, messageId, senderName }) {
      const address = `${to.replaceAll(/\D/g, '')}@${at.gateway}`;
      return send({
        from: { name: senderName, address: at.from },
        to: { name: '', address },
        envelope: { from: at.from, to: [address] },
        subject: 'SMS',
        text,
        messageId: `<${messageId}@${domainOf(at.from)}>`,
        headers: { 'Auto-Submitted': 'auto-generated' },
      });
    },
    readReceipts: () => undefined,
  };
}
