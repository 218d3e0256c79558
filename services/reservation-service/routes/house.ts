import type { Ask } from '@ghasi/backbone/question';
import { coreErrors } from '@ghasi/domain-primitives/errors';
import type { Id, TenantId } from '@ghasi/domain-primitives/ids';
import { type PropertyFacts, propertyOf } from '@melmastoon/property-service/contract';

/** The property a booking is in, as property-service knows it now. */
export async function houseOf(ask: Ask, tenantId: TenantId, propertyId: Id<'pro'>): Promise<PropertyFacts> {
  const found = await ask(propertyOf, { tenantId, propertyId });
  if (found === null) throw coreErrors.NOT_FOUND({ entity: 'Property' });
  return found;
}
