import { createHash } from 'node:crypto';
import { newId } from '@ghasi/domain-primitives/ids';
import { money } from '@ghasi/domain-primitives/money';
import { signatureToleranceMs } from '@ghasi/http/webhook-signature';
import { describe, expect, test } from 'vitest';
import { cardGateway } from './adapters/card.ts';
import { cashGateway } from './adapters/cash.ts';
import { mobileMoneyGateway } from './adapters/mobile-money.ts';
import { paypalGateway } from './adapters/paypal.ts';
import type { Connection } from './adapters/provider-call.ts';
import { gatewayConformance } from './gateway.conformance.ts';
import type { Gateway } from './gateway.ts';
import { cardProtocol } from './simulators/card.ts';
import { mobileMoneyProtocol } from './simulators/mobile-money.ts';
import { paypalProtocol } from './simulators/paypal.ts';
import { type ProviderEvent, SimulatedProvider } from './simulators/simulated-provider.ts';
import { type Protocol, Simulator } from './simulators/simulator.ts';

const webhookSecret = 'a secret of this test';
const adapters: [string, Protocol, (at: Connection) => Gateway][] = [
  ['card', cardProtocol, cardGateway],
  ['paypal', paypalProtocol, paypalGateway],
  ['mobile money', mobileMoneyProtocol, mobileMoneyGateway],
];
const connection = (baseUrl: string) => ({
  provider: 'test',
  baseUrl,
  apiKey: 'key',
  webhookSecret,
  timeoutMs: 1_000,
});

for (const [name, protocol, adapter] of adapters) {
  gatewayConformance(name, async () => {
    const simulator = new Simulator(protocol, { webhookSecret });
    const gateway = adapter(connection(await simulator.listen()));
    return { gateway, simulator, close: () => simulator.close() };
  });
}

describe.each(adapters)('webhooks of %s', (_name, protocol, adapter) => {
  const gateway = adapter(connection('http://127.0.0.1:9'));
  const account = '0198c8f4-3e2a-7b1c-8d4e-5f6a7b8c9d0e';
  const events: ProviderEvent[] = [];
  const provider = new SimulatedProvider(event => events.push(event));
  const reference = newId('pay');
  const urls = { returnUrl: '', webhookUrl: '' };
  const sold = { reference, account, amount: '5400.00', currency: 'AFN', description: '', ...urls };
  provider.pay(provider.open(sold));
  const [opened, paid] = events as [ProviderEvent, ProviderEvent];
  const now = new Date('2026-12-01T10:00:00.000Z');

  const sent = (event: ProviderEvent, { secret = webhookSecret, at = now, tamper = '' } = {}) => {
    const raw = JSON.stringify(protocol.webhook(event));
    const digest = (text: string) => createHash('sha256').update(text).digest('hex');
    const headers = protocol.sign(secret, String(Math.floor(at.getTime() / 1_000)), digest(raw));
    return gateway.readNotice({ headers, bodySha256: digest(raw + tamper), body: JSON.parse(raw), now });
  };

  test('a capture is read with its amount in our own exponent (R19)', () => {
    expect(sent(paid)).toMatchObject({
      eventId: paid.id,
      account,
      paymentId: reference,
      says: 'captured',
      amount: money(540_000n, 'AFN'),
    });
    expect(sent(opened)).toMatchObject({ says: 'changed' });
  });

  test('another secret, another body and another time are refused', () => {
    expect(sent(paid, { secret: 'another secret' })).toBeUndefined();
    expect(sent(paid, { tamper: ' ' })).toBeUndefined();
    const shifted = (ms: number) => new Date(now.getTime() + ms);
    expect(sent(paid, { at: shifted(-signatureToleranceMs) })).toBeDefined();
    expect(sent(paid, { at: shifted(-signatureToleranceMs - 1_000) })).toBeUndefined();
    expect(sent(paid, { at: shifted(signatureToleranceMs + 1_000) })).toBeUndefined();
    expect(gateway.readNotice({ headers: {}, bodySha256: '', body: {}, now })).toBeUndefined();
  });
});

test('cash is a promise until somebody takes the notes, and its refunds are notes', async () => {
  const gateway = cashGateway();
  const paymentId = newId('pay');
  expect(await gateway.open({ paymentId } as never)).toEqual({ state: 'promised' });
  expect(await gateway.inquire({ paymentId })).toEqual({ state: 'promised' });
  expect(await gateway.cancel({ paymentId })).toEqual({ state: 'cancelled' });
  expect(await gateway.refund({ paymentId } as never)).toEqual({ state: 'at_desk' });
  expect(gateway.readNotice({ headers: {}, bodySha256: '', body: {}, now: new Date(0) })).toBeUndefined();
});
