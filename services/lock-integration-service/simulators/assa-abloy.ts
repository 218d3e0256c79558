import { createHash } from 'node:crypto';
import type { Answer, Call } from '@ghasi/http/vendor-simulator';
import { signatureOf } from '../adapters/assa-abloy.ts';
import { cloudId, type SimulatedKey, type SimulatedLocks } from './simulated-locks.ts';
import type { Protocol } from './simulator.ts';

const answer = (status: number, body: object = {}, headers = {}): Answer => ({ status, body, headers });

/** The server has no zone of its own here: wall times are kept as if they were UTC. */
const instant = (text: unknown) => {
  const [, year, month, day, hour, minute] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)$/.exec(String(text)) ?? [];
  return new Date(`${year}-${month}-${day}T${hour}:${minute}:00.000Z`);
};
const wall = (at: Date) => at.toISOString().replaceAll(/[-:]/g, '').slice(0, 13);
const view = (key: SimulatedKey) => ({
  id: key.id,
  description: key.name,
  startTime: wall(key.from),
  expireTime: wall(key.until),
  cancelled: false,
});

/** A session names its account; its access key is only as secret as a simulator needs it. */
const sessionOf = (account: string) => ({
  id: `vl-${Buffer.from(account).toString('base64url')}`,
  accessKey: createHash('sha256').update(account).digest('hex'),
});

/** The Web API of Visionline: guest cards, cancelled or overridden, and encoders. */
export const assaAbloyProtocol: Protocol = {
  name: 'assa_abloy',
  says: {
    rate_limited: answer(429, { code: 'TooManyRequests' }, { 'retry-after': '2' }),
    token_expired: answer(401, { code: 'SessionExpired' }),
    lock_offline: answer(409, { code: 'LockOffline' }),
  },
  read(call, world) {
    const { method, path, query, body } = call;
    if (method === 'POST' && path === '/api/v1/sessions') {
      const isKnown = body.password !== 'wrong';
      const run = () =>
        isKnown ? answer(201, sessionOf(String(body.username))) : answer(401, { code: 'LoginFailed' });
      return { operation: 'sign-in', run };
    }
    const account = signerOf(call);
    if (account === undefined) return answer(401, { code: 'SignatureMismatch' });
    const own = (id: string | undefined) => ownKey(world, account, id);
    if (path === '/api/v1/cards' && method === 'GET') {
      const run = () => {
        const found = world.named(query.get('description') ?? '').filter(key => own(key.id) !== undefined);
        return answer(200, { cards: found.map(view) });
      };
      return { operation: 'find', run };
    }
    if (path === '/api/v1/cards') {
      const [operation] = body.doorOperations as [{ doors: [string] }];
      const lock = world.lock(account, operation.doors[0]);
      if (lock === undefined) return answer(404, { code: 'DoorNotFound' });
      const run = () => {
        const name = String(body.description);
        const dates = { from: instant(body.startTime), until: instant(body.expireTime) };
        return answer(201, view(world.issue(lock, { name, id: cloudId(), code: cloudId(), ...dates })));
      };
      return { operation: 'issue', run };
    }
    const [, doorId] = /^\/api\/v1\/doors\/([\w-]+)$/.exec(path) ?? [];
    if (doorId !== undefined) {
      const lock = world.lock(account, doorId);
      if (lock === undefined) return answer(403, { code: 'DoorOfAnotherHouse' });
      const run = () => answer(200, { online: lock.isOnline, batteryLevel: lock.battery });
      return { operation: 'inspect', run };
    }
    const missing = answer(404, { code: 'CardNotFound' });
    if (/^\/api\/v1\/encoders\/[^/]+\/encode$/.test(path)) {
      const run = () => {
        const key = own(String(body.cardId));
        return key === undefined ? missing : answer(200, view(key));
      };
      return { operation: 'encode', run };
    }
    const [, id, cancel] = /^\/api\/v1\/cards\/([\w-]+)(\/cancel)?$/.exec(path) ?? [];
    if (id === undefined) return undefined;
    const run = () => {
      const key = own(id);
      if (key === undefined) return missing;
      if (cancel !== undefined) return answer(200, { pendingAtLock: !world.remove(key) });
      Object.assign(key, { from: instant(body.startTime), until: instant(body.expireTime) });
      return answer(200, view(key));
    };
    return { operation: cancel === undefined ? 'change' : 'remove', run };
  },
};

function ownKey(world: SimulatedLocks, account: string, id: string | undefined): SimulatedKey | undefined {
  const key = world.keys.get(id ?? '');
  return key !== undefined && world.locks.get(key.lock)?.account === account ? key : undefined;
}

/** Whose signature fits, if one does. */
function signerOf({ method, path, headers, text }: Call): string | undefined {
  const [, id = '', signature = ''] = /^AWS (vl-[\w-]+):(.+)$/.exec(headers.authorization ?? '') ?? [];
  const account = Buffer.from(id.slice(3), 'base64url').toString('utf8');
  const contentMd5 = text === '' ? '' : createHash('md5').update(text).digest('base64');
  const contentType = headers['content-type'] ?? '';
  const parts = { method, path, contentMd5, contentType, date: headers.date ?? '' };
  return signatureOf(sessionOf(account).accessKey, parts) === signature ? account : undefined;
}
