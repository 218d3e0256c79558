import { createHash, createHmac } from 'node:crypto';
import { hours, minutes } from '@ghasi/domain-primitives/duration';
import type { TenantId } from '@ghasi/domain-primitives/ids';
import { parseLocalDate } from '@ghasi/domain-primitives/local-date';
import { instantAt, offsetMinutes, type Zone } from '@ghasi/domain-primitives/zone';
import { z } from 'zod';
import { type KeyOrder, type LiveKey, type LockVendor, VendorFailure } from '../lock-vendor.ts';
import { accountIn, type Connection, callVendor, type Pass, Passes, type VendorCall } from './vendor-call.ts';

/** A Visionline server in the house and who signs in there. */
export type AssaAbloyAccount = { readonly username: string; readonly password: string };

const problem = { code: z.string().optional() };
const session = z.object({ ...problem, id: z.string().optional(), accessKey: z.string().optional() });
const card = z.object({
  id: z.string(),
  description: z.string().optional(),
  startTime: z.string(),
  expireTime: z.string(),
  cancelled: z.boolean(),
});
const cards = z.object({ ...problem, cards: z.array(card).optional() });
const oneCard = z.object({ ...problem, ...card.partial().shape });
const cancelled = z.object({ ...problem, pendingAtLock: z.boolean().optional() });
const door = z.object({ ...problem, online: z.boolean().optional(), batteryLevel: z.number().nullish() });

type Session = Pass & { readonly accessKey: string };

/** Sessions of the Web API end after a while without use; ours are renewed before. */
const SESSION_MS = hours(1);

/**
 * Assa Abloy Visionline (Web API): data on card. A guest card is made on the server and written by an encoder at the
 * desk; the lock reads everything from it. A lock without a network hears of nothing: there a card is replaced by one
 * that overrides it, and a cancelled one dies when the next is used or its window ends.
 */
export function assaAbloyVendor(at: Connection<AssaAbloyAccount>): LockVendor {
  const vendor = 'assa_abloy';
  const now = () => at.now?.() ?? new Date();
  const sessions = new Passes<Session>(async (tenantId: TenantId) => {
    const { username, password } = accountIn(at, { tenantId, vendor });
    const call = { vendor, method: 'POST', path: '/api/v1/sessions', body: { username, password } } as const;
    const { status, body } = await callVendor(at, call, session);
    if (body.id === undefined || body.accessKey === undefined)
      throw new VendorFailure(`${vendor} sign-in`, {
        failure: 'not_authorised',
        isUnknown: false,
        vendorCode: body.code ?? String(status),
      });
    return { value: body.id, accessKey: body.accessKey, expiresAt: now().getTime() + SESSION_MS };
  }, now);

  const call = async <T extends { code?: string | undefined }>(
    { tenantId }: Pick<KeyOrder, 'tenantId'>,
    request: Pick<VendorCall, 'method' | 'path' | 'query' | 'body'>,
    answer: z.ZodType<T>,
  ) => {
    const reply = await sessions.use(
      tenantId,
      pass => callVendor(at, { vendor, ...request, headers: signed(pass, request, now()) }, answer),
      ({ status }) => status === 401,
    );
    const { status, body } = reply;
    if (status < 400 || status === 404) return reply;
    const failure =
      status === 401 || status === 403 ? 'not_authorised' : status === 409 ? 'lock_offline' : 'refused';
    const facts = { failure, isUnknown: false, vendorCode: body.code ?? String(status) } as const;
    throw new VendorFailure(`${vendor} ${request.method} ${request.path}`, facts);
  };
  const find = async (order: KeyOrder) => {
    const query = { description: order.credentialId };
    const { body } = await call(order, { method: 'GET', path: '/api/v1/cards', query }, cards);
    return (body.cards ?? []).filter(one => one.description === order.credentialId && !one.cancelled);
  };
  const cannotSleep = async () => {
    throw new VendorFailure(`${vendor} suspend`, { failure: 'refused', isUnknown: false });
  };
  return {
    vendor,
    medium: 'card',
    hasCode: false, // what opens the door goes from their server to their encoder
    rules: { stepMs: minutes(1), unusedForMs: null, longestMs: null, sameWindowSameCode: false },
    changesInPlace: reach => reach === 'online',
    canSleep: () => false,
    async issue(order) {
      const body = {
        description: order.credentialId,
        format: 'rfid48',
        cardFunction: 'guest',
        override: true, // R27: the first use of this card ends every earlier one at the door
        ...times(order),
        doorOperations: [{ operation: 'guest', doors: [order.lockReference] }],
      };
      const made = await call(order, { method: 'POST', path: '/api/v1/cards', body }, oneCard);
      if (made.body.id === undefined)
        throw new VendorFailure(`${vendor} POST cards`, {
          failure: made.status === 404 ? 'refused' : 'bad_reply',
          isUnknown: made.status !== 404,
          vendorCode: made.body.code ?? null,
        });
      return { reference: made.body.id, window: order.window, code: null };
    },
    async inquire(order) {
      const [made] = await find(order);
      return made === undefined ? { state: 'absent' } : { state: 'live', ...liveOf(made, order.zone) };
    },
    async change(order) {
      const [made] = await find(order);
      if (made === undefined)
        throw new VendorFailure(`${vendor} cards`, {
          failure: 'refused',
          isUnknown: false,
          vendorCode: 'no_card',
        });
      const body = { ...times(order), pendingAutoUpdate: true }; // written on the card at the next online reader
      await call(order, { method: 'PUT', path: `/api/v1/cards/${made.id}`, body }, oneCard);
      return { reference: made.id, window: order.window, code: null };
    },
    suspend: cannotSleep,
    resume: cannotSleep,
    async revoke(order) {
      let confirmedByLock = order.reach !== 'offline';
      for (const { id } of await find(order)) {
        const path = `/api/v1/cards/${id}/cancel`;
        const { status, body } = await call(order, { method: 'POST', path, body: {} }, cancelled);
        if (status !== 404 && body.pendingAtLock !== false) confirmedByLock = false;
      }
      return { confirmedByLock };
    },
    async encode(order, encoder) {
      const [made] = await find(order);
      const path = `/api/v1/encoders/${encodeURIComponent(encoder)}/encode`;
      const body = { cardId: made?.id ?? '' };
      const { status } = await call(order, { method: 'POST', path, body }, oneCard);
      if (status === 404)
        throw new VendorFailure(`${vendor} encode`, {
          failure: 'refused',
          isUnknown: false,
          vendorCode: 'no_card',
        });
    },
    async inspect(place) {
      const path = `/api/v1/doors/${place.lockReference}`;
      const { body } = await call(place, { method: 'GET', path }, door);
      return { isOnline: body.online === true, battery: body.batteryLevel ?? null };
    },
  };
}

/**
 * Every request of a session is signed as the Web API wants it: HMAC-SHA1 with the session's key over method, MD5 of the
 * body, content type, date and path. Both algorithms are theirs; the channel is TLS.
 */
export function signatureOf(
  accessKey: string,
  parts: { method: string; contentMd5: string; contentType: string; date: string; path: string },
): string {
  const text = [parts.method, parts.contentMd5, parts.contentType, parts.date, parts.path].join('\n');
  return createHmac('sha1', accessKey).update(text).digest('base64');
}

function signed(
  { value, accessKey }: Session,
  { method, path, body }: Pick<VendorCall, 'method' | 'path' | 'body'>,
  now: Date,
): Record<string, string> {
  const date = now.toUTCString();
  const contentType = body === undefined ? '' : 'application/json';
  const contentMd5 =
    body === undefined ? '' : createHash('md5').update(JSON.stringify(body)).digest('base64');
  const signature = signatureOf(accessKey, { method, contentMd5, contentType, date, path });
  return {
    date,
    authorization: `AWS ${value}:${signature}`,
    ...(body === undefined ? {} : { 'content-md5': contentMd5 }),
  };
}

/** Times are those of the clock in the house, to the minute: `20261201T1400`. */
function times({ window, zone }: KeyOrder) {
  const wall = (at: Date) =>
    new Date(at.getTime() + minutes(offsetMinutes(zone, at)))
      .toISOString()
      .replaceAll(/[-:]/g, '')
      .slice(0, 13);
  return { startTime: wall(window.from), expireTime: wall(window.until) };
}

function liveOf(made: z.output<typeof card>, zone: Zone): LiveKey {
  const instant = (text: string) => {
    const [, year, month, day, hour, minute] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)$/.exec(text) ?? [];
    if (minute === undefined)
      throw new VendorFailure('assa_abloy card', {
        failure: 'bad_reply',
        isUnknown: true,
        vendorCode: 'time',
      });
    return instantAt(zone, parseLocalDate(`${year}-${month}-${day}`), `${hour}:${minute}`);
  };
  const window = { from: instant(made.startTime), until: instant(made.expireTime) };
  return { reference: made.id, window, code: null };
}
