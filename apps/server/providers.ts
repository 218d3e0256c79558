import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { cardGateway } from '@melmastoon/payment-gateway-service/adapters/card';
import { mobileMoneyGateway } from '@melmastoon/payment-gateway-service/adapters/mobile-money';
import { paypalGateway } from '@melmastoon/payment-gateway-service/adapters/paypal';
import { cardProtocol } from '@melmastoon/payment-gateway-service/simulators/card';
import { mobileMoneyProtocol } from '@melmastoon/payment-gateway-service/simulators/mobile-money';
import { paypalProtocol } from '@melmastoon/payment-gateway-service/simulators/paypal';
import { type Protocol, Simulator } from '@melmastoon/payment-gateway-service/simulators/simulator';
import { z } from 'zod';
import type { Environment } from './environment.ts';
import { serverErrors } from './errors.ts';

const connection = z.strictObject({
  provider: z.string().regex(/^[a-z][a-z0-9_]{0,39}$/),
  baseUrl: z.url({ protocol: /^https?$/ }),
  apiKey: z.string().min(1),
  webhookSecret: z.string().min(16),
});

/** What the file of `MELM_PROVIDERS` says: with whom this installation has a contract. Whatever is left out is not offered. */
export const providersSchema = z.strictObject({
  payments: z
    .strictObject({
      card: connection.optional(),
      paypal: connection.optional(),
      mobileMoney: connection.optional(),
    })
    .default({}),
});
export type Providers = z.output<typeof providersSchema>;

const gatewayOf = { card: cardGateway, paypal: paypalGateway, mobileMoney: mobileMoneyGateway } as const;
type Rail = keyof typeof gatewayOf;

/** Vendors of this process, and how to let go of them. */
export type OpenProviders = {
  readonly gateways: readonly ReturnType<typeof cardGateway>[];
  close(): Promise<unknown>;
};

/** Opens what the installation has contracts for. A demo has simulators instead: HTTP servers on this machine that take no money. */
export async function openProviders(env: Environment, { demo }: { demo: boolean }): Promise<OpenProviders> {
  if (env.MELM_PROVIDERS !== undefined) {
    const { payments } = await readProviders(env.MELM_PROVIDERS);
    return { gateways: gatewaysOf(payments), close: async () => {} };
  }
  if (!demo) return { gateways: [], close: async () => {} };
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
  return {
    gateways: gatewaysOf(payments),
    close: () => Promise.all(simulators.map(simulator => simulator.close())),
  };
}

function gatewaysOf(payments: Providers['payments']) {
  return Object.entries(payments).flatMap(([rail, at]) => (at ? [gatewayOf[rail as Rail](at)] : []));
}

async function readProviders(file: string): Promise<Providers> {
  const refuse = (reason: string) => serverErrors.BAD_PROVIDERS({ file, reason });
  const text = await readFile(file, 'utf8').catch(error => {
    throw refuse((error as NodeJS.ErrnoException).code ?? 'cannot be read');
  });
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw refuse('is no JSON');
  }
  const parsed = providersSchema.safeParse(json);
  // Only paths and reasons: the file holds secrets.
  if (!parsed.success)
    throw refuse(parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; '));
  return parsed.data;
}
