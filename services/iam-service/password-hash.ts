import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { coreErrors } from '@ghasi/domain-primitives/errors';
import type { IamConfig } from './config.ts';
import type { InstallationKeys } from './installation-keys.ts';

const run = promisify(argon2);
const TAG_BYTES = 32;
const SALT_BYTES = 16;

/** Hashes at once. libuv has four threads; files and name lookups need some of them while people sign in. */
const AT_ONCE = 2;

/** Hashes that may wait. Beyond it a flood hears 503 at once instead of making everybody wait. */
const WAITING = 100;

/** Whose password it is; part of the hash, so that a hash copied to another row opens nothing (safety rule 44). */
export type PasswordOwner = { tenantId: string; operatorId: string };

/** Hashes and checks passwords with argon2id, peppered by the installation's secret. */
export type PasswordHasher = {
  hash(password: string, owner: PasswordOwner): Promise<string>;
  verify(password: string, stored: string, owner: PasswordOwner): Promise<boolean>;
  /** True when `stored` was made with other parameters or an older secret. */
  isStale(stored: string): boolean;
  /** Does the work of a check that fails, for accounts that do not exist or have no password. */
  pretend(password: string): Promise<void>;
};

type Parameters = IamConfig['argon2'];
/** `keyId` names the pepper; demo accounts have none until their first sign-in. */
type Parsed = Parameters & { keyId: string | undefined; salt: Buffer; tag: Buffer };

/** Unicode texts that look the same are the same password (NFKC); nothing is cut off or trimmed. */
export function normalisePassword(password: string): string {
  return password.normalize('NFKC');
}

/** Makes the hasher of an installation; without keys, one for hashes that are replaced at the first sign-in. */
export function passwordHasher(parameters: Parameters, keys?: InstallationKeys): PasswordHasher {
  const queue = boundedQueue(AT_ONCE, WAITING);
  async function compute(
    password: string,
    owner: PasswordOwner,
    using: Omit<Parsed, 'tag'>,
  ): Promise<Buffer> {
    return queue(() =>
      run('argon2id', {
        message: normalisePassword(password),
        nonce: using.salt,
        memory: using.memoryKib,
        passes: using.passes,
        parallelism: using.lanes,
        tagLength: TAG_BYTES,
        ...(using.keyId === undefined ? {} : { secret: pepperOf(using.keyId) }),
        associatedData: JSON.stringify([owner.tenantId, owner.operatorId]),
      }),
    );
  }
  function pepperOf(keyId: string): Buffer {
    const pepper = keys?.find('password pepper', keyId);
    if (pepper === undefined)
      throw new Error('a password hash names a secret that is not configured any more');
    return pepper.key;
  }
  const fresh = () => ({
    ...parameters,
    keyId: keys?.newest('password pepper').id,
    salt: randomBytes(SALT_BYTES),
  });
  return {
    async hash(password, owner) {
      const using = fresh();
      return format({ ...using, tag: await compute(password, owner, using) });
    },
    async verify(password, stored, owner) {
      const { tag, ...using } = parse(stored);
      return timingSafeEqual(await compute(password, owner, using), tag);
    },
    isStale(stored) {
      const { memoryKib, passes, lanes, keyId } = parse(stored);
      const wanted = fresh();
      return (
        memoryKib !== wanted.memoryKib ||
        passes !== wanted.passes ||
        lanes !== wanted.lanes ||
        keyId !== wanted.keyId
      );
    },
    async pretend(password) {
      await compute(password, { tenantId: '-', operatorId: '-' }, fresh());
    },
  };
}

/** Runs work a few at a time, in order; refuses with UNAVAILABLE when too much waits. */
export function boundedQueue(atOnce: number, waiting: number): <T>(work: () => Promise<T>) => Promise<T> {
  let running = 0;
  const turns: (() => void)[] = [];
  return async work => {
    if (running < atOnce) running += 1;
    else if (turns.length < waiting) await new Promise<void>(resolve => turns.push(resolve));
    else throw coreErrors.UNAVAILABLE();
    try {
      return await work();
    } finally {
      const next = turns.shift(); // whoever waits takes the place over
      if (next === undefined) running -= 1;
      else next();
    }
  };
}

/** The PHC string format; `keyid` names the pepper. */
function format({ memoryKib, passes, lanes, keyId, salt, tag }: Parsed): string {
  const parts = `m=${memoryKib},t=${passes},p=${lanes}${keyId === undefined ? '' : `,keyid=${keyId}`}`;
  return `$argon2id$v=19$${parts}$${base64(salt)}$${base64(tag)}`;
}

const PHC =
  /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)(?:,keyid=([0-9a-f]{8}))?\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

function parse(stored: string): Parsed {
  const [, memory, passes, lanes, keyId, salt = '', tag = ''] = PHC.exec(stored) ?? [];
  if (memory === undefined) throw new Error('a stored password hash is not in our format');
  return {
    memoryKib: Number(memory),
    passes: Number(passes),
    lanes: Number(lanes),
    keyId,
    salt: Buffer.from(salt, 'base64'),
    tag: Buffer.from(tag, 'base64'),
  };
}

function base64(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '');
}
