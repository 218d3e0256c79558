import { createHash } from 'node:crypto';
import { days, hours, seconds } from '@ghasi/domain-primitives/duration';
import type { TenantId } from '@ghasi/domain-primitives/ids';
import { z } from 'zod';
import { type KeyOrder, type LiveKey, type LockVendor, VendorFailure } from '../lock-vendor.ts';
import type { Failure } from '../model/retries.ts';
import { accountIn, type Connection, callVendor, Passes } from './vendor-call.ts';

/** A house's account: the application's id and secret, and the TTLock user who is administrator of its locks. */
export type TtlockAccount = {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly username: string;
  readonly password: string;
};

const errcode = { errcode: z.int().optional() };
const token = z.object({
  ...errcode,
  access_token: z.string().optional(),
  expires_in: z.number().optional(),
});
const passcode = z.object({
  ...errcode,
  keyboardPwd: z.string().optional(),
  keyboardPwdId: z.int().optional(),
});
const list = z.object({
  ...errcode,
  pages: z.int().optional(),
  list: z
    .array(
      z.object({
        keyboardPwdId: z.int(),
        keyboardPwd: z.string(),
        keyboardPwdName: z.string().optional(),
        startDate: z.number(),
        endDate: z.number(),
      }),
    )
    .optional(),
});
const detail = z.object({ ...errcode, electricQuantity: z.int().optional() });
const gateways = z.object({ ...errcode, list: z.array(z.object({ gatewayId: z.int() })).optional() });

/** Error codes of the cloud API that mean something else than a plain refusal (euopen.ttlock.com, error codes). */
const failures: Readonly<Record<number, { failure: Failure; isUnknown: boolean }>> = {
  [-2012]: { failure: 'lock_offline', isUnknown: false }, // the lock is not connected to any gateway
  [-3002]: { failure: 'lock_offline', isUnknown: false }, // the gateway is offline
  [-3003]: { failure: 'lock_offline', isUnknown: false }, // the gateway is busy
  [-2025]: { failure: 'timeout', isUnknown: true }, // the lock did not answer its gateway
  10000: { failure: 'not_authorised', isUnknown: false },
  10001: { failure: 'not_authorised', isUnknown: false },
  10003: { failure: 'not_authorised', isUnknown: false },
  10004: { failure: 'not_authorised', isUnknown: false },
  10007: { failure: 'not_authorised', isUnknown: false },
  30006: { failure: 'rate_limited', isUnknown: false },
  90000: { failure: 'bad_reply', isUnknown: true },
};
const badTokens: readonly (number | undefined)[] = [10003, 10004];
/** The passcode does not exist, or not any more. */
const NO_PASSCODE = -1008;
const PERIOD = 3; // a random passcode with a start and an end
const VIA_GATEWAY = '2';
const PAGE = 100;

/**
 * TTLock (Sciener cloud API v3): random passcodes, computed by cloud and lock alike, so that a lock needs no network. They
 * know whole hours, last a year at most, and one that is not used within 24 h of its start is suspended (R27).
 */
export function ttlockVendor(at: Connection<TtlockAccount>): LockVendor {
  const vendor = 'ttlock';
  const now = () => at.now?.() ?? new Date();
  const signIn = async (tenantId: TenantId) => {
    const { clientId, clientSecret, username, password } = accountIn(at, { tenantId, vendor });
    const body = new URLSearchParams({
      client_id: clientId,
      client_secret: clientSecret,
      username,
      password: createHash('md5').update(password).digest('hex'), // their wire format, not ours to choose
      grant_type: 'password',
    });
    const call = { vendor, method: 'POST', path: '/oauth2/token', body } as const;
    const answer = await callVendor(at, call, token);
    if (answer.body.access_token === undefined) throw failed('sign-in', answer.body.errcode ?? 10001);
    const expiresAt = now().getTime() + seconds(answer.body.expires_in ?? 0);
    return { value: answer.body.access_token, expiresAt };
  };
  const tokens = new Passes(signIn, now);

  const call = async <T extends { errcode?: number | undefined }>(
    order: Pick<KeyOrder, 'tenantId' | 'lockReference'>,
    { path, isRead = false, ...more }: { path: string; isRead?: boolean; fields?: Record<string, string> },
    answer: z.ZodType<T>,
  ): Promise<T> => {
    const { clientId } = accountIn(at, { tenantId: order.tenantId, vendor });
    const { body } = await tokens.use(
      order.tenantId,
      ({ value }) => {
        const fields = {
          clientId,
          accessToken: value,
          lockId: order.lockReference,
          ...more.fields,
          date: String(now().getTime()), // within five minutes of theirs, or they refuse
        };
        return callVendor(
          at,
          isRead
            ? { vendor, method: 'GET', path, query: fields }
            : { vendor, method: 'POST', path, body: new URLSearchParams(fields) },
          answer,
        );
      },
      reply => badTokens.includes(reply.body.errcode),
    );
    if ((body.errcode ?? 0) !== 0) throw failed(path, body.errcode as number);
    return body;
  };

  /** Every passcode that bears the name of the key: a repeated request may have left two. */
  const named = async (order: KeyOrder) => {
    const found: z.output<typeof list>['list'] = [];
    for (let pageNo = 1, pages = 1; pageNo <= pages; pageNo++) {
      const fields = { pageNo: String(pageNo), pageSize: String(PAGE) };
      const body = await call(order, { path: '/v3/lock/listKeyboardPwd', isRead: true, fields }, list);
      pages = body.pages ?? 1;
      found.push(...(body.list ?? []).filter(one => one.keyboardPwdName === order.credentialId));
    }
    return found;
  };
  const inquire: LockVendor['inquire'] = async order => {
    const newest = (await named(order)).sort((one, other) => other.keyboardPwdId - one.keyboardPwdId)[0];
    if (newest === undefined) return { state: 'absent' };
    const window = { from: new Date(newest.startDate), until: new Date(newest.endDate) };
    return { state: 'live', reference: String(newest.keyboardPwdId), window, code: newest.keyboardPwd };
  };
  const issue = async (order: KeyOrder): Promise<LiveKey> => {
    const fields = {
      keyboardPwdVersion: '4',
      keyboardPwdType: String(PERIOD),
      keyboardPwdName: order.credentialId,
      ...datesOf(order),
    };
    const path = '/v3/keyboardPwd/get';
    const { keyboardPwd, keyboardPwdId } = await call(order, { path, fields }, passcode);
    if (keyboardPwd === undefined || keyboardPwdId === undefined)
      throw new VendorFailure(`${vendor} ${path}`, { failure: 'bad_reply', isUnknown: true });
    return { reference: String(keyboardPwdId), window: order.window, code: keyboardPwd };
  };
  const cannotSleep = async () => {
    throw new VendorFailure(`${vendor} suspend`, { failure: 'refused', isUnknown: false });
  };
  return {
    vendor,
    medium: 'passcode',
    hasCode: true,
    rules: {
      stepMs: hours(1),
      unusedForMs: hours(24),
      longestMs: days(365),
      sameWindowSameCode: true,
    },
    // A random code is arithmetic: only a lock that can be talked to learns of another end.
    changesInPlace: reach => reach !== 'offline',
    canSleep: () => false,
    issue,
    inquire,
    async change(order) {
      const standing = await inquire(order);
      if (standing.state !== 'live') return issue(order);
      const fields = { keyboardPwdId: standing.reference, ...datesOf(order), changeType: VIA_GATEWAY };
      await call(order, { path: '/v3/keyboardPwd/change', fields }, passcode);
      return { reference: standing.reference, window: order.window, code: standing.code };
    },
    suspend: cannotSleep,
    resume: cannotSleep,
    async revoke(order) {
      if (order.reach === 'offline') return { confirmedByLock: false }; // it ends with its window
      for (const { keyboardPwdId } of await named(order)) {
        const fields = { keyboardPwdId: String(keyboardPwdId), deleteType: VIA_GATEWAY };
        await call(order, { path: '/v3/keyboardPwd/delete', fields }, passcode).catch(error => {
          if (!(error instanceof VendorFailure && error.vendorCode === String(NO_PASSCODE))) throw error;
        });
      }
      return { confirmedByLock: true };
    },
    async inspect(place) {
      const { electricQuantity } = await call(place, { path: '/v3/lock/detail', isRead: true }, detail);
      const near = await call(place, { path: '/v3/gateway/listByLock', isRead: true }, gateways);
      return { isOnline: (near.list ?? []).length > 0, battery: electricQuantity ?? null };
    },
  };
}

function datesOf({ window }: KeyOrder) {
  return { startDate: String(window.from.getTime()), endDate: String(window.until.getTime()) };
}

function failed(what: string, code: number): VendorFailure {
  const facts = failures[code] ?? { failure: 'refused', isUnknown: false };
  return new VendorFailure(`ttlock ${what}`, { ...facts, vendorCode: String(code) });
}
