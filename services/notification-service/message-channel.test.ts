import { createHash } from 'node:crypto';
import { newId } from '@ghasi/domain-primitives/ids';
import { signatureToleranceMs } from '@ghasi/http/webhook-signature';
import { newTenantId } from '@ghasi/testing/tenants';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { printedChannel } from './adapters/printed.ts';
import type { Connection } from './adapters/provider-call.ts';
import { smsChannel } from './adapters/sms.ts';
import { smsByMailChannel } from './adapters/sms-by-mail.ts';
import { smtpChannel, smtpConnection } from './adapters/smtp.ts';
import { whatsappChannel } from './adapters/whatsapp.ts';
import { type Candidate, messageChannelConformance } from './message-channel.conformance.ts';
import type { MessageChannel, Outgoing } from './message-channel.ts';
import { MailCatcher } from './simulators/mail-catcher.ts';
import { type ProviderEvent, SimulatedProvider } from './simulators/simulated-provider.ts';
import { type Protocol, Simulator } from './simulators/simulator.ts';
import { smsProtocol } from './simulators/sms.ts';
import { whatsappProtocol } from './simulators/whatsapp.ts';

const webhookSecret = 'a secret of this test';
const httpFaults = ['cut', 'error', 'lost', 'garbage', 'silent'] as const;
const mailFaults = ['cut', 'lost', 'silent'] as const;
const connection = (baseUrl: string): Connection => ({
  provider: 'test',
  baseUrl,
  account: '+93790000000',
  apiKey: 'key',
  webhookSecret,
  timeoutMs: 1_000,
});

async function overHttp(
  protocol: Protocol,
  adapter: (at: Connection) => MessageChannel,
  codes: Readonly<Record<string, number>>,
): Promise<Candidate> {
  const simulator = new Simulator(protocol, { webhookSecret });
  simulator.webhooks = 'hold';
  const faults = { cut: 'cut', error: 'error', lost: 'lost', garbage: 'garbage', silent: 1_500 } as const;
  return {
    channel: adapter(connection(await simulator.listen())),
    addresses: ['+93700123456', '+93700654321'],
    misbehave: fault => simulator.misbehave('send', faults[fault]),
    refuse: (reason, permanent) => simulator.provider.refuseNext(codes[`${reason} ${permanent}`] as number),
    refusals: Object.keys(codes).map(key => {
      const [reason, permanent] = key.split(' ');
      return [reason as never, permanent === 'true'];
    }),
    arrived: () => simulator.provider.taken.map(({ reference: id, to, text }) => ({ id, to, text })),
    close: () => simulator.close(),
  };
}

messageChannelConformance('SMS by REST', httpFaults, () =>
  overHttp(smsProtocol, smsChannel, {
    'unknown_address true': 21211,
    'opted_out true': 21610,
    'blocked true': 30007,
    'unknown_address false': 30003,
    'provider_error false': 30001,
  }),
);
messageChannelConformance('WhatsApp', httpFaults, () =>
  overHttp(whatsappProtocol, whatsappChannel, {
    'unknown_address true': 131026,
    'opted_out true': 131050,
    'blocked true': 131047,
    'provider_error false': 131000,
  }),
);
messageChannelConformance('WhatsApp with an approved template', httpFaults, () =>
  overHttp(whatsappProtocol, at => whatsappChannel({ ...at, template: 'house_notice' }), {
    'unknown_address true': 131026,
    'opted_out true': 131050,
    'blocked false': 131049,
  }),
);

async function overSmtp(
  adapter: (at: {
    host: string;
    port: number;
    tls: 'none';
    from: string;
    timeoutMs: number;
  }) => MessageChannel,
  addresses: readonly [string, string],
  readable: (to: string) => string,
): Promise<Candidate> {
  const mail = new MailCatcher();
  await mail.listen({ page: false });
  const replies: Readonly<Record<string, Parameters<MailCatcher['misbehave']>[0]>> = {
    'unknown_address true': { at: 'rcpt', reply: '550 5.1.1 no such mailbox' },
    'mailbox_full false': { at: 'rcpt', reply: '452 4.2.2 mailbox full' },
    'blocked true': { at: 'data', reply: '554 5.7.1 looks like spam' },
    'provider_error false': { at: 'data', reply: '451 try again later' },
  };
  return {
    channel: adapter({
      host: mail.host,
      port: mail.port,
      tls: 'none',
      from: 'rooms@house.example',
      timeoutMs: 1_000,
    }),
    addresses,
    misbehave: fault => mail.misbehave(fault as 'cut'),
    refuse: (reason, permanent) => mail.misbehave(replies[`${reason} ${permanent}`] as 'cut'),
    refusals: [
      ['unknown_address', true],
      ['mailbox_full', false],
      ['blocked', true],
      ['provider_error', false],
    ],
    arrived() {
      const seen = new Map(
        mail.caught.map(({ headers, to, text }) => {
          const id = headers['message-id'] ?? '';
          return [id, { id, to: readable(to.join(',')), text: text.replace(/\n$/, '') }];
        }),
      );
      return [...seen.values()];
    },
    close: () => mail.close(),
  };
}

messageChannelConformance('e-mail by SMTP', mailFaults, () =>
  overSmtp(smtpChannel, ['zarghuna@guest.example', 'mirwais@guest.example'], to => to),
);
messageChannelConformance('SMS by a mail gateway', mailFaults, () =>
  overSmtp(
    at => smsByMailChannel({ ...at, gateway: 'sms.example' }),
    ['+93700123456', '+93700654321'],
    to => `+${to.replace('@sms.example', '')}`,
  ),
);

describe.each([
  ['SMS', smsProtocol, smsChannel],
  ['WhatsApp', whatsappProtocol, whatsappChannel],
] as const)('receipts of %s', (_name, protocol, adapter) => {
  const channel = adapter(connection('http://127.0.0.1:9'));
  const account = newTenantId();
  const messageId = newId('msg');
  const events: ProviderEvent[] = [];
  const provider = new SimulatedProvider(event => events.push(event));
  const taken = provider.take({
    reference: `${messageId}.2`,
    account,
    to: '+93700123456',
    text: '',
    receiptUrl: '',
  });
  provider.deliver(taken);
  provider.fail(taken, 30005);
  const [sent, delivered, failed] = events as [ProviderEvent, ProviderEvent, ProviderEvent];
  const now = new Date('2026-12-01T10:00:00.000Z');

  const read = (event: ProviderEvent, { secret = webhookSecret, at = now, tamper = '' } = {}) => {
    const raw = JSON.stringify(protocol.webhook(event));
    const digest = (text: string) => createHash('sha256').update(text).digest('hex');
    const headers = protocol.sign(secret, String(Math.floor(at.getTime() / 1_000)), digest(raw));
    return channel.readReceipts({ headers, bodySha256: digest(raw + tamper), body: JSON.parse(raw), now });
  };

  test('each says which try of which message of which tenant it is about', () => {
    expect(read(sent)).toMatchObject([
      { tenantId: account, messageId, said: { state: 'accepted', attempt: 2 } },
    ]);
    expect(read(delivered)).toMatchObject([
      { said: { state: 'delivered', attempt: 2, at: expect.any(Date) } },
    ]);
    expect(read(failed)).toMatchObject([{ said: { state: 'refused', attempt: 2 } }]);
    const ids = [sent, delivered, failed].map(event => read(event)?.[0]?.eventId);
    expect(new Set(ids).size).toBe(3);
  });

  test('safety-22: another secret, another body and another time are refused', () => {
    expect(read(delivered, { secret: 'another secret' })).toBeUndefined();
    expect(read(delivered, { tamper: ' ' })).toBeUndefined();
    const shifted = (ms: number) => new Date(now.getTime() + ms);
    expect(read(delivered, { at: shifted(-signatureToleranceMs) })).toBeDefined();
    expect(read(delivered, { at: shifted(-signatureToleranceMs - 1_000) })).toBeUndefined();
    expect(read(delivered, { at: shifted(signatureToleranceMs + 1_000) })).toBeUndefined();
  });
});

describe('SMTP', () => {
  const mail = new MailCatcher();
  beforeAll(() => mail.listen({ page: false }));
  afterAll(() => mail.close());
  const outgoing: Outgoing = {
    tenantId: newTenantId(),
    messageId: newId('msg'),
    attempt: 1,
    to: 'zarghuna@guest.example',
    senderName: 'مهمان‌خانه، کابل <x>',
    replyTo: 'desk@house.example',
    subject: 'ریزرف K7QMX3PD تأیید شد',
    text: 'متن',
    html: '<p>متن</p>',
    locale: 'fa-AF',
    validForMs: 3_600_000,
    receiptUrl: '',
  };

  test('a lost answer and its repetition have one Message-ID, by which they are one mail', async () => {
    const at = {
      host: mail.host,
      port: mail.port,
      tls: 'none',
      from: 'rooms@house.example',
      timeoutMs: 1_000,
    } as const;
    const channel = smtpChannel(at);
    mail.misbehave('lost');
    await expect(channel.send(outgoing)).rejects.toThrow('no answer');
    await channel.send(outgoing);
    const ids = mail.caught.map(({ headers }) => headers['message-id']);
    expect(ids).toEqual(Array(2).fill(`<${outgoing.messageId}@house.example>`));
    const [, arrived] = mail.caught;
    expect(arrived).toMatchObject({ subject: outgoing.subject, from: 'rooms@house.example' });
    expect(arrived?.html).toContain('<p>متن</p>');
    expect(arrived?.headers).toMatchObject({
      from: 'مهمان‌خانه، کابل <x> <rooms@house.example>', // one encoded word, so the brackets are text
      to: 'zarghuna@guest.example',
      'content-language': 'fa-AF',
      'auto-submitted': 'auto-generated',
      'list-unsubscribe': '<mailto:desk@house.example?subject=unsubscribe>',
    });
  });

  test('nothing leaves this machine without TLS', () => {
    const at = { port: 25, from: 'rooms@house.example' };
    expect(() => smtpChannel({ ...at, host: 'mail.example', tls: 'none' })).toThrow('must be encrypted');
    expect(smtpConnection('smtp://u:p%40x@mail.example', 'a@b.example')).toEqual({
      ...{
        host: 'mail.example',
        port: 587,
        tls: 'starttls',
        user: 'u',
        password: 'p@x',
        from: 'a@b.example',
      },
    });
    expect(smtpConnection('smtps://mail.example', 'a@b.example')).toMatchObject({
      port: 465,
      tls: 'implicit',
    });
    expect(() => smtpConnection('https://mail.example', 'a@b.example')).toThrow('not smtp');
  });
});

test('paper is handed over at once and has no receipts', async () => {
  const paper = printedChannel();
  const messageId = newId('msg');
  expect(await paper.send({ messageId } as Outgoing)).toEqual({ state: 'accepted', reference: messageId });
  expect(paper.readReceipts({ headers: {}, bodySha256: '', body: {}, now: new Date(0) })).toBeUndefined();
});
