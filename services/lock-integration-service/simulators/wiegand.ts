import type { Answer } from '@ghasi/http/vendor-simulator';
import { readWiegandFrame } from '../adapters/wiegand-frame.ts';
import type { SimulatedKey } from './simulated-locks.ts';
import type { Protocol } from './simulator.ts';

const answer = (status: number, body: object = {}, headers = {}): Answer => ({ status, body, headers });
const seconds = (at: Date) => Math.floor(at.getTime() / 1_000);
const view = (key: SimulatedKey) => ({
  reference: key.name,
  frame: key.code,
  validFrom: seconds(key.from),
  validUntil: seconds(key.until),
  enabled: !key.isAsleep,
});

/** A door controller in the house, with a list of cards. Its locks are wired to it; "offline" is a cut cable. */
export const wiegandProtocol: Protocol = {
  name: 'wiegand',
  says: {
    rate_limited: answer(429, { error: 'slow_down' }, { 'retry-after': '2' }),
    token_expired: answer(401, { error: 'session_over' }),
    lock_offline: answer(423, { error: 'door_unreachable' }),
  },
  read({ method, path, headers, body }, world) {
    if (method === 'POST' && path === '/api/login') {
      const run = () =>
        body.password === 'wrong'
          ? answer(401, { error: 'login' })
          : answer(200, { token: `wg-${String(body.user)}`, expiresIn: 600 });
      return { operation: 'sign-in', run };
    }
    const [, account] = /^Bearer wg-(.+)$/.exec(headers.authorization ?? '') ?? [];
    if (account === undefined) return answer(401, { error: 'session_over' });
    const [, doorId, cards] = /^\/api\/doors\/([\w-]+)(\/cards)?$/.exec(path) ?? [];
    if (doorId !== undefined) {
      const lock = world.lock(account, doorId);
      if (lock === undefined) return answer(403, { error: 'door_of_another_house' });
      if (cards === undefined)
        return { operation: 'inspect', run: () => answer(200, { online: lock.isOnline }) };
      const frame = String(body.frame);
      if (readWiegandFrame(frame) === undefined) return answer(400, { error: 'parity' });
      const run = () => {
        const [known] = world.named(String(body.reference));
        if (known !== undefined) return answer(200, view(known));
        if ([...world.keys.values()].some(key => key.code === frame))
          return answer(409, { error: 'frame_in_use' });
        const from = new Date(Number(body.validFrom) * 1_000);
        const until = new Date(Number(body.validUntil) * 1_000);
        const name = String(body.reference);
        return answer(201, view(world.issue(lock, { name, id: name, code: frame, from, until })));
      };
      return { operation: 'issue', run };
    }
    const [, reference = ''] = /^\/api\/cards\/(\w+)$/.exec(path) ?? [];
    if (reference === '') return undefined;
    const own = () => {
      const key = world.keys.get(reference);
      return key !== undefined && world.locks.get(key.lock)?.account === account ? key : undefined;
    };
    const missing = answer(404, { error: 'no_card' });
    const about = (then: (key: SimulatedKey) => Answer) => () => {
      const key = own();
      return key === undefined ? missing : then(key);
    };
    if (method === 'GET') return { operation: 'find', run: about(key => answer(200, view(key))) };
    if (method === 'DELETE') {
      const run = about(key => answer(200, { applied: world.remove(key) }));
      return { operation: 'remove', run };
    }
    const run = about(key => {
      if (body.validFrom !== undefined) key.from = new Date(Number(body.validFrom) * 1_000);
      if (body.validUntil !== undefined) key.until = new Date(Number(body.validUntil) * 1_000);
      if (body.enabled !== undefined) key.isAsleep = body.enabled !== true;
      return answer(200, view(key));
    });
    return { operation: body.enabled === undefined ? 'change' : 'sleep', run };
  },
};
