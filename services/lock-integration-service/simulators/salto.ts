import type { Answer } from '@ghasi/http/vendor-simulator';
import { cloudId, digits, type SimulatedKey } from './simulated-locks.ts';
import type { Protocol } from './simulator.ts';

const answer = (status: number, body: object = {}, headers = {}): Answer => ({ status, body, headers });
const view = (key: SimulatedKey) => ({
  id: key.id,
  external_id: key.name,
  blocked: key.isAsleep,
  valid_from: key.from.toISOString(),
  valid_until: key.until.toISOString(),
});

/** A user without a door or a PIN opens nothing. */
const NO_PIN = '';
const NO_DOOR = 'no door';

/** The Connect API of Salto KS: users of a site, access groups and PINs. The account is the site. */
export const saltoProtocol: Protocol = {
  name: 'salto',
  says: {
    rate_limited: answer(429, { error: 'too_many_requests' }, { 'retry-after': '2' }),
    token_expired: answer(401, { error: 'invalid_token' }),
    lock_offline: answer(409, { error: 'lock_offline' }),
  },
  read({ method, path, query, headers, body }, world) {
    if (method === 'POST' && path === '/connect/token') {
      const isKnown = (headers.authorization ?? '').startsWith('Basic ') && body.password !== 'wrong';
      const run = () =>
        isKnown
          ? answer(200, { access_token: 'ks-token', expires_in: 3_600 })
          : answer(400, { error: 'invalid_grant' });
      return { operation: 'sign-in', run };
    }
    if (headers.authorization !== 'Bearer ks-token') return answer(401, { error: 'invalid_token' });
    const [, site = '', resource = ''] = /^\/v1\.1\/sites\/([\w-]+)(\/.*)$/.exec(path) ?? [];
    const nowhere = world.lock(site, `${NO_DOOR} of ${site}`);
    if (nowhere === undefined) return answer(403, { error: 'forbidden' });
    const own = (id: string | undefined) => {
      const key = world.keys.get(id ?? '');
      return key !== undefined && world.locks.get(key.lock)?.account === site ? key : undefined;
    };
    const text = (name: string) => String(body[name]);
    if (resource === '/users' && method === 'GET') {
      const [, name = ''] = /^external_id eq '([^']*)'$/.exec(query.get('$filter') ?? '') ?? [];
      const run = () => {
        const found = world.named(name).filter(key => own(key.id) !== undefined);
        return answer(200, { items: found.map(view) });
      };
      return { operation: 'find', run };
    }
    if (resource === '/users' && method === 'POST') {
      const dates = { from: new Date(text('valid_from')), until: new Date(text('valid_until')) };
      const run = () => {
        const made = world.issue(nowhere, {
          name: text('external_id'),
          id: cloudId(),
          code: NO_PIN,
          ...dates,
        });
        return answer(201, view(made));
      };
      return { operation: 'issue', run };
    }
    const [, group = '', member] =
      /^\/access_groups\/([\w-]+)\/(?:users\/([\w-]+)|locks)$/.exec(resource) ?? [];
    if (group !== '') {
      const lock = world.lock(site, group);
      if (lock === undefined) return answer(404, { error: 'no_access_group' });
      if (member === undefined)
        return {
          operation: 'inspect',
          run: () => answer(200, { items: [{ online: lock.isOnline, battery_level: lock.battery }] }),
        };
      const run = () => {
        const key = own(member);
        if (key === undefined) return answer(404, { error: 'no_user' });
        nowhere.keys.delete(key.id);
        const moved = { ...key, lock: group };
        world.keys.set(key.id, moved);
        lock.keys.set(key.id, moved);
        return answer(204);
      };
      return { operation: 'issue', run };
    }
    const [, id, part] = /^\/users\/([\w-]+)(\/pin)?$/.exec(resource) ?? [];
    if (id === undefined) return undefined;
    const missing = answer(404, { error: 'no_user' });
    if (part !== undefined) {
      const run = () => {
        const key = own(id);
        if (key === undefined) return missing;
        key.code = digits(6);
        return answer(200, { pin: key.code });
      };
      return { operation: 'issue', run };
    }
    if (method === 'DELETE') {
      const run = () => {
        const key = own(id);
        return key === undefined ? missing : answer(world.remove(key) ? 204 : 202);
      };
      return { operation: 'remove', run };
    }
    const run = () => {
      const key = own(id);
      if (key === undefined) return missing;
      if (body.valid_from !== undefined) key.from = new Date(text('valid_from'));
      if (body.valid_until !== undefined) key.until = new Date(text('valid_until'));
      if (body.blocked !== undefined) key.isAsleep = body.blocked === true;
      return answer(200, view(key));
    };
    return { operation: body.blocked === undefined ? 'change' : 'sleep', run };
  },
};
