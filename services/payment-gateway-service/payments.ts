import type { TenantId } from '@ghasi/domain-primitives/ids';
import { cashGateway } from './adapters/cash.ts';
import type { Gateway } from './gateway.ts';
import type { Rail } from './model.ts';

/** What an installation decides about payments. */
export type PaymentParts = {
  /** The providers it works with; cash is always there. One per rail. */
  readonly gateways?: readonly Gateway[];
  /** Where providers and browsers reach this installation. */
  readonly publicUrl?: string;
  /** The page a guest comes back to; default: `<publicUrl>/pay/return?payment=…`. */
  readonly returnUrl?: (of: Place) => string;
};

/** One payment of one tenant. */
export type Place = { readonly tenantId: TenantId; readonly paymentId: string };

/** What the use cases of this service share. */
export type Payments = {
  gatewayOf(rail: Rail): Gateway | undefined;
  provider(name: string): Gateway | undefined;
  returnUrl(of: Place): string;
  webhookUrl(provider: string, tenantId: TenantId): string;
};

/** Checks the providers: one per rail, one per name. */
export function openPayments({ gateways = [], publicUrl, returnUrl }: PaymentParts): Payments {
  const all = [...gateways, cashGateway()];
  const names = all.map(({ provider }) => provider);
  const rails = all.flatMap(gateway => gateway.rails);
  if (new Set(names).size !== names.length || new Set(rails).size !== rails.length)
    throw new TypeError(`two gateways for one rail or of one name: ${names.join(', ')}`);
  const base = publicUrl ?? 'http://localhost';
  return {
    gatewayOf: rail => all.find(gateway => gateway.rails.includes(rail)),
    provider: name => all.find(gateway => gateway.provider === name),
    returnUrl: returnUrl ?? (({ paymentId }) => `${base}/pay/return?payment=${paymentId}`),
    webhookUrl: (provider, tenantId) => `${base}/api/v1/payment-webhooks/${provider}/${tenantId}`,
  };
}
