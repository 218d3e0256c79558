import type { Ask } from '@ghasi/backbone/question';
import type { LockVendor, VendorName } from './lock-vendor.ts';
import { codeSafe, type Safe } from './sealed-code.ts';

/** What an installation decides about locks. */
export type LockParts = {
  /** Seals codes at rest. Needed as soon as there is a vendor. */
  readonly secret?: string;
  /** Secrets of before, with which codes that are still valid were sealed. */
  readonly olderSecrets?: readonly string[];
  /** The makers of locks it works with, one per name. Without any, rooms have metal keys. */
  readonly vendors?: readonly LockVendor[];
  /** Uses up second-factor confirmations. */
  readonly ask?: Ask;
  /** Codes are shown and keys are replaced only after a second factor; default: when there is somebody to `ask`. */
  readonly secondFactor?: boolean;
};

/** What the use cases of this service share. */
export type Locks = {
  vendorOf(name: string): LockVendor | undefined;
  readonly safe: Safe;
  /** Set when a second factor is asked for. */
  readonly ask: Ask | undefined;
};

/** Checks the parts. */
export function openLocks({ secret, olderSecrets = [], vendors = [], ask, secondFactor }: LockParts): Locks {
  const names = vendors.map(({ vendor }) => vendor);
  if (new Set(names).size !== names.length)
    throw new TypeError(`two vendors of one name: ${names.join(', ')}`);
  if (vendors.length > 0 && (secret === undefined || secret.length < 16))
    throw new TypeError('codes of electronic locks are sealed: a secret of at least 16 characters is needed');
  if (secondFactor === true && ask === undefined)
    throw new TypeError('nobody to ask about second factors: pass `ask`');
  const byName = new Map<string, LockVendor>(vendors.map(one => [one.vendor as VendorName, one]));
  return {
    vendorOf: name => byName.get(name),
    safe: secret === undefined ? noSafe : codeSafe([secret, ...olderSecrets]),
    ask: secondFactor === false ? undefined : ask,
  };
}

const none = () => {
  throw new Error('there is no secret to seal codes with');
};
const noSafe: Safe = { seal: none, open: none };
