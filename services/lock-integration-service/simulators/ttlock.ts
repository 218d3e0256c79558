import { createHash } from 'node:crypto';
import type { Answer, Answering } from '@ghasi/http/vendor-simulator';
import type { SimulatedKey, SimulatedLock, SimulatedLocks } from './simulated-locks.ts';
import type { Operation, Protocol } from './simulator.ts';

/** Every answer is a 200; whether it is one, `errcode` says. */
const ok = (body: object): Answer => ({
  status: 200,
  body: { errcode: 0, errmsg: 'none error message', ...body },
});
const no = (errcode: number, errmsg: string): Answer => ({ status: 200, body: { errcode, errmsg } });

/** Tokens name their account, so that the simulator needs no memory of them. */
const tokenOf = (account: string) => `tt-${Buffer.from(account).toString('base64url')}`;
const accountOf = (token: string) => Buffer.from(token.slice(3), 'base64url').toString('utf8');

const view = (key: SimulatedKey) => ({
  keyboardPwdId: Number(key.id),
  lockId: key.lock,
  keyboardPwd: key.code,
  keyboardPwdName: key.name,
  keyboardPwdVersion: 4,
  keyboardPwdType: 3,
  startDate: key.from.getTime(),
  endDate: key.until.getTime(),
});

/** A random code is arithmetic over the lock's own secret and the window: the same window has the same code. */
const codeFor = (lock: SimulatedLock, from: string, until: string) =>
  String(createHash('sha256').update(`${lock.reference} ${from} ${until}`).digest().readUInt32BE(0)).slice(
    0,
    9,
  );

/** The cloud API v3 of TTLock. */
export const ttlockProtocol: Protocol = {
  name: 'ttlock',
  diesUnused: true,
  says: {
    rate_limited: no(30006, 'exceeds the restrictions of API call number'),
    token_expired: no(10004, 'invalid grant'),
    lock_offline: no(-3002, 'The gateway is offline'),
  },
  read({ method, path, query, body }, world) {
    const field = (name: string) => String(method === 'GET' ? query.get(name) : body[name]);
    if (path === '/oauth2/token') {
      const isKnown = field('client_secret') !== 'wrong' && /^[0-9a-f]{32}$/.test(field('password'));
      const run = () =>
        isKnown
          ? ok({ access_token: tokenOf(field('username')), uid: 1, expires_in: 7_776_000 })
          : no(10001, 'invalid client');
      return { operation: 'sign-in', run };
    }
    if (!field('accessToken').startsWith('tt-')) return no(10003, 'invalid token');
    const lock = world.lock(accountOf(field('accessToken')), field('lockId'));
    if (lock === undefined) return no(20002, 'not lock admin');
    return read(path, { world, lock, field });
  },
};

type Place = { world: SimulatedLocks; lock: SimulatedLock; field: (name: string) => string };

function read(path: string, { world, lock, field }: Place): Answering<Operation> | undefined {
  const own = () => {
    const key = world.keys.get(field('keyboardPwdId'));
    return key?.lock === lock.reference ? key : undefined;
  };
  const dates = () => ({
    from: new Date(Number(field('startDate'))),
    until: new Date(Number(field('endDate'))),
  });
  switch (path) {
    case '/v3/keyboardPwd/get': {
      const run = () => {
        const code = codeFor(lock, field('startDate'), field('endDate'));
        const made = world.issue(lock, { name: field('keyboardPwdName'), code, ...dates() });
        return ok({ keyboardPwd: made.code, keyboardPwdId: Number(made.id) });
      };
      return { operation: 'issue', run };
    }
    case '/v3/lock/listKeyboardPwd': {
      const run = () => {
        const all = [...world.keys.values()].filter(key => key.lock === lock.reference);
        const size = Number(field('pageSize'));
        const start = (Number(field('pageNo')) - 1) * size;
        const pages = Math.max(1, Math.ceil(all.length / size));
        return ok({ list: all.slice(start, start + size).map(view), pages, total: all.length });
      };
      return { operation: 'find', run };
    }
    case '/v3/keyboardPwd/change': {
      const run = () => {
        const key = own();
        if (key === undefined) return no(-1008, 'the passcode does not exist');
        if (!lock.isOnline) return no(-3002, 'The gateway is offline');
        Object.assign(key, dates());
        return ok({});
      };
      return { operation: 'change', run };
    }
    case '/v3/keyboardPwd/delete': {
      const run = () => {
        const key = own();
        if (key === undefined) return no(-1008, 'the passcode does not exist');
        if (!lock.isOnline) return no(-3002, 'The gateway is offline');
        world.remove(key);
        return ok({});
      };
      return { operation: 'remove', run };
    }
    case '/v3/lock/detail':
      return {
        operation: 'inspect',
        run: () => ok({ electricQuantity: lock.battery, timezoneRawOffset: 0 }),
      };
    case '/v3/gateway/listByLock':
      return { operation: 'inspect', run: () => ok({ list: lock.isOnline ? [{ gatewayId: 1 }] : [] }) };
    default:
      return undefined;
  }
}
