import { isUniqueViolation } from '@ghasi/db/pg-errors';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { coreErrors } from '@ghasi/domain-primitives/errors';
import type { AddressesView } from '../contract/resources.ts';
import { errors } from '../errors.ts';
import { claim, MOST_HOSTS, MOST_SLUGS } from '../model.ts';
import {
  deleteHost,
  demoteSlug,
  insertHost,
  insertSlug,
  listHosts,
  listSlugs,
  promoteSlug,
  verifyHostRow,
} from '../queries/addresses.ts';
import { appendHistory } from '../queries/history.ts';
import { lockOpenTenant } from './tenants.ts';

/** Takes a slug into use; the one before it becomes a redirect. One of the tenant's old slugs comes back. */
export async function claimSlug(ctx: Ctx, { slug }: { slug: string }): Promise<AddressesView> {
  await lockOpenTenant(ctx);
  const mine = await listSlugs(ctx.tx);
  const outcome = claim(slug, mine);
  if (outcome === 'SLUG_RESERVED') throw errors.SLUG_RESERVED();
  if (outcome === 'SLUG_LIMIT') throw errors.SLUG_LIMIT({ most: MOST_SLUGS });
  if (outcome === 'unchanged') return readAddresses(ctx);
  await demoteSlug(ctx);
  if (outcome === 'promote') await promoteSlug(ctx, slug);
  else if (!(await insertSlug(ctx, slug))) throw errors.SLUG_TAKEN();
  const before = mine.find(one => one.isPrimary);
  await appendHistory(ctx, {
    action: 'slug.claimed',
    subject: slug,
    before,
    after: { slug, isPrimary: true },
  });
  return readAddresses(ctx);
}

/** Writes down a host of the tenant's own; it counts once the platform has verified it. */
export async function addHost(ctx: Ctx, { host }: { host: string }): Promise<AddressesView> {
  await lockOpenTenant(ctx);
  const mine = await listHosts(ctx.tx);
  if (mine.length >= MOST_HOSTS && !mine.some(one => one.host === host))
    throw errors.HOST_LIMIT({ most: MOST_HOSTS });
  if (await insertHost(ctx, host)) await appendHistory(ctx, { action: 'host.added', subject: host });
  return readAddresses(ctx);
}

/** Gives a host up. */
export async function removeHost(ctx: Ctx, { host }: { host: string }): Promise<void> {
  await lockOpenTenant(ctx);
  if (!(await deleteHost(ctx, host))) throw coreErrors.NOT_FOUND({ entity: 'Host' });
  await appendHistory(ctx, { action: 'host.removed', subject: host });
}

/** The platform has seen that the host is the tenant's: from now on it leads here. */
export async function verifyHost(ctx: Ctx, { host }: { host: string }): Promise<AddressesView> {
  await lockOpenTenant(ctx);
  const found = (await listHosts(ctx.tx)).find(one => one.host === host);
  if (found === undefined) throw coreErrors.NOT_FOUND({ entity: 'Host' });
  if (found.verifiedAt === null) {
    try {
      await verifyHostRow(ctx, host);
    } catch (error) {
      throw isUniqueViolation(error, 'hosts_one_owner') ? errors.HOST_TAKEN() : error;
    }
    await appendHistory(ctx, { action: 'host.verified', subject: host });
  }
  return readAddresses(ctx);
}

/** The names the tenant answers to. */
export async function readAddresses({ tx }: Pick<Ctx, 'tx'>): Promise<AddressesView> {
  const [slugs, hosts] = [await listSlugs(tx), await listHosts(tx)];
  return {
    slugs: slugs.map(({ slug, isPrimary }) => ({ slug, primary: isPrimary })),
    hosts: hosts.map(({ host, verifiedAt }) => ({ host, verified: verifiedAt !== null })),
  };
}
