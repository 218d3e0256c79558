import { answer } from '@ghasi/backbone/question';
import { type Actor, tenantRead } from '@ghasi/db/tenant-transaction';
import { PLATFORM_TENANT_ID } from '@ghasi/domain-primitives/ids';
import { hostText, slugText } from './contract/resources.ts';
import { membershipOf, resolveTenant, siteSettingsOf } from './contract.ts';
import { effectiveMembership, hostName } from './model.ts';
import { findMembershipOf } from './queries/memberships.ts';
import { findTenant, readSettings, readTenantView, resolve } from './queries/tenants.ts';

const self: Actor = { type: 'service', id: 'tenant-service' };

/** Answers from PostgreSQL every time: a role that was taken away is gone with the next request (safety rule 11). */
export const membershipOfAnswer = answer(membershipOf, ({ db, log }, { tenantId, operatorId }) =>
  tenantRead(db, { tenantId, actor: self, log }, async ({ tx }) => {
    // Both in one packet: this question is part of nearly every request.
    const [tenant, membership] = await Promise.all([findTenant(tx), findMembershipOf(tx, operatorId)]);
    if (tenant === undefined || membership === undefined) return null;
    const { roles, status, propertyIds } = membership;
    return effectiveMembership({ roles, status, propertyIds }, tenant);
  }),
);

/** Text that cannot be a slug or host names nobody and does not reach the database. */
export const resolveAnswer = answer(resolveTenant, async ({ db, log }, asked) => {
  const by = 'slug' in asked ? asked : { host: hostName(asked.host) };
  const known = 'slug' in by ? slugText.safeParse(by.slug).success : hostText.safeParse(by.host).success;
  if (!known) return null;
  // No tenant is known yet, and the function needs none; the platform's transaction is read only.
  const who = { tenantId: PLATFORM_TENANT_ID, actor: self, log };
  return (await tenantRead(db, who, ({ tx }) => resolve(tx, by))) ?? null;
});

/** What a booking site must know of the group it belongs to. */
export const siteSettingsAnswer = answer(siteSettingsOf, ({ db, log }, { tenantId }) =>
  tenantRead(db, { tenantId, actor: self, log }, async ({ tx }) => {
    if ((await findTenant(tx)) === undefined) return null;
    const { slug, name, status } = await readTenantView(tx);
    const { defaultLocale, locales, currency, zone, calendar, digits, weekendDays } = (await readSettings(tx))
      .values;
    return {
      ...{ tenantId, slug, name, status, defaultLocale, locales, currency, zone },
      ...{ calendar, digits, weekendDays },
    };
  }),
);
