import { randomBytes } from 'node:crypto';
import type { TenantId } from '@ghasi/domain-primitives/ids';
import { assaAbloyVendor } from '@melmastoon/lock-integration-service/adapters/assa-abloy';
import { saltoVendor } from '@melmastoon/lock-integration-service/adapters/salto';
import { ttlockVendor } from '@melmastoon/lock-integration-service/adapters/ttlock';
import { wiegandVendor } from '@melmastoon/lock-integration-service/adapters/wiegand';
import type { LockVendor } from '@melmastoon/lock-integration-service/lock-vendor';
import { startLockSimulator } from '@melmastoon/lock-integration-service/simulators/start-lock-simulator';
import { smsChannel } from '@melmastoon/notification-service/adapters/sms';
import { smtpChannel } from '@melmastoon/notification-service/adapters/smtp';
import { whatsappChannel } from '@melmastoon/notification-service/adapters/whatsapp';
import { openDemoPost } from '@melmastoon/notification-service/demo';
import type { MessageChannel } from '@melmastoon/notification-service/message-channel';
import { cardGateway } from '@melmastoon/payment-gateway-service/adapters/card';
import { mobileMoneyGateway } from '@melmastoon/payment-gateway-service/adapters/mobile-money';
import { paypalGateway } from '@melmastoon/payment-gateway-service/adapters/paypal';
import { cardProtocol } from '@melmastoon/payment-gateway-service/simulators/card';
import { mobileMoneyProtocol } from '@melmastoon/payment-gateway-service/simulators/mobile-money';
import { paypalProtocol } from '@melmastoon/payment-gateway-service/simulators/paypal';
import { type Protocol, Simulator } from '@melmastoon/payment-gateway-service/simulators/simulator';
import type { Environment } from './environment.ts';
import { type Providers, readProviders } from './providers-file.ts';

/** Vendors of this process, and how to let go of them. */
export type OpenProviders = {
  readonly gateways: readonly ReturnType<typeof cardGateway>[];
  readonly channels: readonly MessageChannel[];
  readonly locks: readonly LockVendor[];
  /** False where nobody has one: the people of a demo. */
  readonly secondFactor?: boolean;
  /** Where the messages of a demo can be read. */
  readonly mailPage?: string | undefined;
  close(): Promise<unknown>;
};

/** Nobody: money is cash, keys are of metal, messages go on paper. */
export const noProviders: OpenProviders = { gateways: [], channels: [], locks: [], close: async () => {} };

/** Opens what the installation has contracts for. A demo has simulators: servers on this machine that open no door and take no money. */
export async function openProviders(env: Environment, { demo }: { demo: boolean }): Promise<OpenProviders> {
  if (env.MELM_PROVIDERS !== undefined) return contracted(await readProviders(env.MELM_PROVIDERS));
  return demo ? simulated() : noProviders;
}

function contracted({ payments, messages, locks }: Providers): OpenProviders {
  const { email, sms, whatsapp } = messages;
  return {
    gateways: gatewaysOf(payments),
    channels: [
      ...(email ? [smtpChannel(defined(email))] : []),
      ...(sms ? [smsChannel(sms)] : []),
      ...(whatsapp ? [whatsappChannel(defined(whatsapp))] : []),
    ],
    locks: [
      ...(locks.ttlock ? [ttlockVendor(accounts(locks.ttlock))] : []),
      ...(locks.salto ? [saltoVendor(accounts(locks.salto))] : []),
      ...(locks.assaAbloy ? [assaAbloyVendor(accounts(locks.assaAbloy))] : []),
      ...(locks.wiegand
        ? [wiegandVendor(accounts(locks.wiegand) as Parameters<typeof wiegandVendor>[0])]
        : []),
    ],
    close: async () => {},
  };
}

async function simulated(): Promise<OpenProviders> {
  const simulators: Simulator[] = [];
  const simulate = async (protocol: Protocol, provider: string) => {
    const webhookSecret = randomBytes(24).toString('hex');
    const simulator = new Simulator(protocol, { webhookSecret });
    simulators.push(simulator);
    return { provider, baseUrl: await simulator.listen(), apiKey: 'demo', webhookSecret };
  };
  const payments = {
    card: await simulate(cardProtocol, 'demo_acquirer'),
    paypal: await simulate(paypalProtocol, 'demo_paypal'),
    mobileMoney: await simulate(mobileMoneyProtocol, 'demo_mobile_money'),
  };
  const post = await openDemoPost();
  const locks = await startLockSimulator();
  return {
    gateways: gatewaysOf(payments),
    channels: post.channels,
    locks: locks.vendors,
    secondFactor: false,
    mailPage: post.pageUrl,
    close: () => Promise.all([post.close(), locks.stop(), ...simulators.map(simulator => simulator.close())]),
  };
}

function gatewaysOf({ card, paypal, mobileMoney }: Providers['payments']) {
  return [
    ...(card ? [cardGateway(card)] : []),
    ...(paypal ? [paypalGateway(paypal)] : []),
    ...(mobileMoney ? [mobileMoneyGateway(mobileMoney)] : []),
  ];
}

function accounts<Account>(of: { baseUrl: string; accounts: Record<string, Account> }) {
  return { baseUrl: of.baseUrl, accountOf: (tenantId: TenantId) => of.accounts[tenantId] };
}

type Defined<T> = { [Key in keyof T]: Exclude<T[Key], undefined> };

/** Without the keys that are not there: optional is not the same as undefined. */
function defined<T extends object>(value: T): Defined<T> {
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as Defined<T>;
}
