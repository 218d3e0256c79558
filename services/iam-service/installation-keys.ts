import { createHash, hkdfSync } from 'node:crypto';

/** A key for one purpose, with the short name of the secret it comes from. */
export type DerivedKey = { readonly id: string; readonly key: Buffer };

/** Keys for named purposes, derived from the installation's secrets (HKDF-SHA-256). */
export type InstallationKeys = {
  /** The key that makes new things. */
  newest(purpose: string): DerivedKey;
  /** The key that made an old thing; undefined when its secret is no longer configured. */
  find(purpose: string, id: string): DerivedKey | undefined;
};

/** Derives keys from secrets, newest first. Two purposes never share a key. */
export function installationKeys(secrets: readonly string[]): InstallationKeys {
  const [first] = secrets;
  if (first === undefined) throw new TypeError('installationKeys: at least one secret is needed');
  const known = new Map<string, DerivedKey>();
  const secretOf = new Map(secrets.map(secret => [idOf(secret), secret]));
  const find = (purpose: string, id: string) => {
    const slot = `${id} ${purpose}`;
    const secret = secretOf.get(id);
    if (secret === undefined) return undefined;
    let derived = known.get(slot);
    if (derived === undefined) {
      const key = Buffer.from(hkdfSync('sha256', secret, 'melmastoon', `iam ${purpose}`, 32));
      derived = { id, key };
      known.set(slot, derived);
    }
    return derived;
  };
  const newestId = idOf(first);
  return { newest: purpose => find(purpose, newestId) as DerivedKey, find };
}

/** Eight hex digits that name a secret and say nothing about it: a hash of a value derived apart from all keys. */
function idOf(secret: string): string {
  const named = hkdfSync('sha256', secret, 'melmastoon', 'name of this secret', 32);
  return createHash('sha256').update(Buffer.from(named)).digest('hex').slice(0, 8);
}
