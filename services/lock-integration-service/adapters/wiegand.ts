import { createHmac } from 'node:crypto';
import { seconds } from '@ghasi/domain-primitives/duration';
import type { TenantId } from '@ghasi/domain-primitives/ids';
import { z } from 'zod';
import { type KeyOrder, type LiveKey, type LockVendor, VendorFailure } from '../lock-vendor.ts';
import { accountIn, type Connection, callVendor, Passes, type VendorCall } from './vendor-call.ts';
import { readWiegandFrame, type WiegandFormat, wiegandFormats, wiegandFrame } from './wiegand-frame.ts';

/** A door controller in the house, and the cards of the house. */
export type WiegandAccount = {
  readonly user: string;
  readonly password: string;
  readonly format: WiegandFormat;
  /** The facility (site) code of the house's cards. */
  readonly facility: number;
};

const session = z.object({ token: z.string().optional(), expiresIn: z.number().optional() });
const card = z.object({
  error: z.string().optional(),
  frame: z.string().optional(),
  validFrom: z.number().optional(),
  validUntil: z.number().optional(),
  enabled: z.boolean().optional(),
});
const removed = z.object({ error: z.string().optional(), applied: z.boolean().optional() });
const door = z.object({ error: z.string().optional(), online: z.boolean().optional() });

/** So many numbers are tried before somebody should look at the controller. */
const MOST_NUMBERS = 20;

/**
 * A controller on premises that reads cards by Wiegand. Its list of cards is the truth: a card opens as long as its
 * number is in it, so a key is a number that we choose, and it dies the moment the controller forgets it.
 */
export function wiegandVendor(at: Connection<WiegandAccount>): LockVendor {
  const vendor = 'wiegand';
  const now = () => at.now?.() ?? new Date();
  const sessions = new Passes(async (tenantId: TenantId) => {
    const { user, password } = accountIn(at, { tenantId, vendor });
    const call = { vendor, method: 'POST', path: '/api/login', body: { user, password } } as const;
    const { body } = await callVendor(at, call, session);
    if (body.token === undefined)
      throw new VendorFailure(`${vendor} sign-in`, { failure: 'not_authorised', isUnknown: false });
    return { value: body.token, expiresAt: now().getTime() + seconds(body.expiresIn ?? 0) };
  }, now);

  const call = async <T extends { error?: string | undefined }>(
    { tenantId }: Pick<KeyOrder, 'tenantId'>,
    request: Pick<VendorCall, 'method' | 'path' | 'body'>,
    answer: z.ZodType<T>,
  ) => {
    const reply = await sessions.use(
      tenantId,
      ({ value }) =>
        callVendor(at, { vendor, ...request, headers: { authorization: `Bearer ${value}` } }, answer),
      ({ status }) => status === 401,
    );
    const { status, body } = reply;
    if (status < 400 || status === 404 || status === 409) return reply;
    const failure =
      status === 401 || status === 403 ? 'not_authorised' : status === 423 ? 'lock_offline' : 'refused';
    const facts = { failure, isUnknown: false, vendorCode: body.error ?? String(status) } as const;
    throw new VendorFailure(`${vendor} ${request.method} ${request.path}`, facts);
  };
  const path = ({ credentialId }: KeyOrder) => `/api/cards/${credentialId}`;
  const inquire: LockVendor['inquire'] = async order => {
    const { status, body } = await call(order, { method: 'GET', path: path(order) }, card);
    if (status === 404) return { state: 'absent' };
    const live = liveOf(order, body);
    return body.enabled === false
      ? { state: 'asleep', reference: live.reference }
      : { state: 'live', ...live };
  };
  const patch = async (order: KeyOrder, body: object): Promise<LiveKey> => {
    const request = { method: 'PATCH', path: path(order), body } as const;
    const reply = await call(order, request, card);
    if (reply.status === 404)
      throw new VendorFailure(`${vendor} PATCH`, { failure: 'refused', isUnknown: false, vendorCode: '404' });
    return liveOf(order, reply.body);
  };
  return {
    vendor,
    medium: 'card',
    hasCode: true, // the number, to be written on the card
    rules: { stepMs: seconds(1), unusedForMs: null, longestMs: null, sameWindowSameCode: false },
    changesInPlace: () => true,
    canSleep: () => true,
    inquire,
    async issue(order) {
      const account = accountIn(at, { tenantId: order.tenantId, vendor });
      const { format, facility } = account;
      for (let attempt = 0; attempt < MOST_NUMBERS; attempt++) {
        const number = numberFor(order, account, attempt);
        const frame = wiegandFrame({ format, facility, number });
        const body = { reference: order.credentialId, format, frame, ...validity(order) };
        const at = `/api/doors/${order.lockReference}/cards`;
        const reply = await call(order, { method: 'POST', path: at, body }, card);
        if (reply.status === 409) continue; // another guest's card has this number
        if (reply.status === 404)
          throw new VendorFailure(`${vendor} POST ${at}`, {
            failure: 'refused',
            isUnknown: false,
            vendorCode: reply.body.error ?? '404',
          });
        return liveOf(order, reply.body);
      }
      throw new VendorFailure(`${vendor} issue`, {
        failure: 'refused',
        isUnknown: false,
        vendorCode: 'no_free_number',
      });
    },
    change: order => patch(order, validity(order)),
    suspend: async order => void (await patch(order, { enabled: false })),
    resume: order => patch(order, { enabled: true, ...validity(order) }),
    async revoke(order) {
      const { status, body } = await call(order, { method: 'DELETE', path: path(order) }, removed);
      return { confirmedByLock: status === 404 || body.applied === true };
    },
    async inspect(place) {
      const { body } = await call(place, { method: 'GET', path: `/api/doors/${place.lockReference}` }, door);
      return { isOnline: body.online === true, battery: null };
    },
  };
}

/** Seconds since 1970, as controllers count. */
function validity({ window }: KeyOrder) {
  const inSeconds = (at: Date) => Math.floor(at.getTime() / 1_000);
  return { validFrom: inSeconds(window.from), validUntil: inSeconds(window.until) };
}

function liveOf({ credentialId, window }: KeyOrder, body: z.output<typeof card>): LiveKey {
  const { frame, validFrom, validUntil } = body;
  const read = frame === undefined ? undefined : readWiegandFrame(frame);
  if (read === undefined)
    throw new VendorFailure('wiegand card', { failure: 'bad_reply', isUnknown: true, vendorCode: 'parity' });
  const held =
    validFrom === undefined || validUntil === undefined
      ? window
      : { from: new Date(validFrom * 1_000), until: new Date(validUntil * 1_000) };
  const code = `${read.format}:${read.facility}:${read.number}`;
  return { reference: credentialId, window: held, code };
}

/** The same key asks for the same number again; who knows the key's id still cannot tell the number. */
function numberFor(
  { credentialId }: KeyOrder,
  { password, format }: WiegandAccount,
  attempt: number,
): number {
  const digest = createHmac('sha256', password).update(`${credentialId} ${attempt}`).digest();
  return digest.readUInt32BE(0) % 2 ** wiegandFormats[format].numberBits;
}
