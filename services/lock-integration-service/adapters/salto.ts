import { seconds } from '@ghasi/domain-primitives/duration';
import type { TenantId } from '@ghasi/domain-primitives/ids';
import { z } from 'zod';
import {
  type KeyOrder,
  type LiveKey,
  type LockPlace,
  type LockVendor,
  VendorFailure,
} from '../lock-vendor.ts';
import { accountIn, type Connection, callVendor, Passes, type VendorCall } from './vendor-call.ts';

/** A site of Salto KS and who signs in for it. */
export type SaltoAccount = {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly username: string;
  readonly password: string;
  readonly siteId: string;
};

const problem = { error: z.string().optional() };
const token = z.object({
  ...problem,
  access_token: z.string().optional(),
  expires_in: z.number().optional(),
});
const siteUser = z.object({
  id: z.string(),
  external_id: z.string().nullish(),
  blocked: z.boolean(),
  valid_from: z.string(),
  valid_until: z.string(),
});
const users = z.object({ ...problem, items: z.array(siteUser).optional() });
const oneUser = z.object({ ...problem, ...siteUser.partial().shape });
const pin = z.object({ ...problem, pin: z.string().optional() });
const nothing = z.object(problem);
const locks = z.object({
  ...problem,
  items: z.array(z.object({ online: z.boolean(), battery_level: z.number().nullish() })).optional(),
});

/**
 * Salto KS (Connect API): a key is a user of the site with a PIN that Salto draws and shows once, a validity and the
 * access group of the room's door. `lockReference` is the id of that access group.
 */
export function saltoVendor(at: Connection<SaltoAccount>): LockVendor {
  const vendor = 'salto';
  const now = () => at.now?.() ?? new Date();
  const tokens = new Passes(async (tenantId: TenantId) => {
    const { clientId, clientSecret, username, password } = accountIn(at, { tenantId, vendor });
    const basic = Buffer.from(`${clientId}:${clientSecret}`).toString('base64');
    const form = { grant_type: 'password', username, password, scope: 'user_api.full_access' };
    const call = {
      vendor,
      method: 'POST',
      path: '/connect/token',
      headers: { authorization: `Basic ${basic}` },
      body: new URLSearchParams(form),
    } as const;
    const { status, body } = await callVendor(at, call, token);
    if (body.access_token === undefined)
      throw new VendorFailure(`${vendor} sign-in`, {
        failure: 'not_authorised',
        isUnknown: false,
        vendorCode: body.error ?? String(status),
      });
    return { value: body.access_token, expiresAt: now().getTime() + seconds(body.expires_in ?? 0) };
  }, now);

  const call = async <T extends { error?: string | undefined }>(
    { tenantId }: Pick<KeyOrder, 'tenantId'>,
    request: Pick<VendorCall, 'method' | 'path' | 'query' | 'body'>,
    answer: z.ZodType<T>,
  ) => {
    const { siteId } = accountIn(at, { tenantId, vendor });
    const path = `/v1.1/sites/${siteId}${request.path}`;
    const reply = await tokens.use(
      tenantId,
      ({ value }) =>
        callVendor(at, { vendor, ...request, path, headers: { authorization: `Bearer ${value}` } }, answer),
      ({ status }) => status === 401,
    );
    if (reply.status < 400 || reply.status === 404) return reply;
    throw new VendorFailure(`${vendor} ${request.method} ${request.path}`, {
      failure: reply.status === 401 || reply.status === 403 ? 'not_authorised' : 'refused',
      isUnknown: false,
      vendorCode: reply.body.error ?? String(reply.status),
    });
  };

  const find = async (order: KeyOrder) => {
    const query = { $filter: `external_id eq '${order.credentialId}'` };
    const { body } = await call(order, { method: 'GET', path: '/users', query }, users);
    return (body.items ?? []).filter(one => one.external_id === order.credentialId);
  };
  const patch = (order: KeyOrder, user: { id: string }, body: object) =>
    call(order, { method: 'PATCH', path: `/users/${user.id}`, body }, oneUser);
  const validity = ({ window }: KeyOrder) => ({
    valid_from: window.from.toISOString(),
    valid_until: window.until.toISOString(),
  });

  return {
    vendor,
    medium: 'passcode',
    hasCode: true,
    rules: { stepMs: seconds(1), unusedForMs: null, longestMs: null, sameWindowSameCode: false },
    changesInPlace: () => true,
    canSleep: () => true,
    /** Three steps, each of which finds what a try before it has left: the user, his group, and a PIN that replaces his old one. */
    async issue(order) {
      const [known] = await find(order);
      const created = { external_id: order.credentialId, first_name: 'Guest', last_name: order.credentialId };
      const made =
        known ??
        (
          await call(
            order,
            { method: 'POST', path: '/users', body: { ...created, ...validity(order) } },
            oneUser,
          )
        ).body;
      if (made.id === undefined)
        throw new VendorFailure(`${vendor} POST /users`, { failure: 'bad_reply', isUnknown: true });
      const user = { id: made.id };
      if (known !== undefined) await patch(order, user, { ...validity(order), blocked: false });
      const group = {
        method: 'PUT',
        path: `/access_groups/${order.lockReference}/users/${user.id}`,
      } as const;
      const joined = await call(order, group, nothing);
      if (joined.status === 404) {
        // Somebody without a door is nobody's key.
        await call(order, { method: 'DELETE', path: `/users/${user.id}` }, nothing);
        throw new VendorFailure(`${vendor} access group`, {
          failure: 'refused',
          isUnknown: false,
          vendorCode: 'no_access_group',
        });
      }
      const drawn = await call(order, { method: 'PUT', path: `/users/${user.id}/pin` }, pin);
      if (drawn.body.pin === undefined)
        throw new VendorFailure(`${vendor} PUT pin`, { failure: 'bad_reply', isUnknown: true });
      return { reference: user.id, window: order.window, code: drawn.body.pin };
    },
    async inquire(order) {
      const [user] = await find(order);
      if (user === undefined) return { state: 'absent' };
      if (user.blocked) return { state: 'asleep', reference: user.id };
      return { state: 'live', ...liveOf(user) };
    },
    async change(order) {
      const user = await mustFind(order);
      await patch(order, user, validity(order));
      return { ...liveOf(user), window: order.window };
    },
    async suspend(order) {
      await patch(order, await mustFind(order), { blocked: true });
    },
    async resume(order) {
      const user = await mustFind(order);
      await patch(order, user, { ...validity(order), blocked: false });
      return { ...liveOf(user), window: order.window };
    },
    async revoke(order) {
      let confirmedByLock = true;
      for (const { id } of await find(order)) {
        const { status } = await call(order, { method: 'DELETE', path: `/users/${id}` }, nothing);
        if (status === 202) confirmedByLock = false; // the site has it; the lock hears of it at its next contact
      }
      return { confirmedByLock };
    },
    async inspect(place: LockPlace) {
      const path = `/access_groups/${place.lockReference}/locks`;
      const { body } = await call(place, { method: 'GET', path }, locks);
      const [lock] = body.items ?? [];
      return { isOnline: lock?.online === true, battery: lock?.battery_level ?? null };
    },
  };

  async function mustFind(order: KeyOrder) {
    const [user] = await find(order);
    if (user !== undefined) return user;
    throw new VendorFailure(`${vendor} users`, {
      failure: 'refused',
      isUnknown: false,
      vendorCode: 'no_user',
    });
  }
}

/** The PIN was shown once, when it was drawn. */
function liveOf(user: z.output<typeof siteUser>): LiveKey {
  const window = { from: new Date(user.valid_from), until: new Date(user.valid_until) };
  return { reference: user.id, window, code: null };
}
