import { createHmac } from 'node:crypto';
import type { Ask } from '@ghasi/backbone/question';
import type { ValueOf } from '@ghasi/db/accepted';
import type { Database } from '@ghasi/db/database';
import { type Actor, type Ctx, tenantRead, tenantTransaction } from '@ghasi/db/tenant-transaction';
import type { TenantId } from '@ghasi/domain-primitives/ids';
import type { Logger } from '@ghasi/telemetry/logger';
import { type IamConfig, type IamConfigInput, iamConfig } from './config.ts';
import { type InstallationKeys, installationKeys } from './installation-keys.ts';
import { type PasswordHasher, passwordHasher } from './password-hash.ts';
import { type SigningKeys, signingKeyring } from './signing-keys.ts';

/** What every use case of this service shares: its settings and the keys that follow from them. */
export type Iam = {
  readonly config: IamConfig;
  readonly keys: InstallationKeys;
  readonly passwords: PasswordHasher;
  readonly signing: SigningKeys;
  readonly ask: Ask;
  /** Time for answers, which have no request; routes use the request's. */
  now(): Date;
};

/** Settings, and how to ask other services. `now` is for tests. */
export type IamParts = IamConfigInput & { ask: Ask; now?: () => Date };

/** Checks the settings and derives the keys; touches no database. */
export function openIam({ ask, now, ...settings }: IamParts): Iam {
  const config = iamConfig.parse(settings);
  const keys = installationKeys(config.secrets);
  return {
    config,
    keys,
    passwords: passwordHasher(config.argon2, keys),
    signing: signingKeyring(config, keys),
    ask,
    now: now ?? (() => new Date()),
  };
}

/** A use case that opens its own transactions: it hashes, asks others, or must write down a refusal. */
export type Bare = { db: Database; tenantId: TenantId; actor: Actor; now: Date; log: Logger };

/** One transaction of such a use case. */
export function inTenant<T>(bare: Bare, work: (ctx: Ctx) => Promise<T>): Promise<ValueOf<T>> {
  return tenantTransaction(bare.db, bare, work);
}

/** One reading transaction of such a use case. */
export function readTenant<T>(bare: Bare, work: (ctx: Ctx) => Promise<T>): Promise<ValueOf<T>> {
  return tenantRead(bare.db, bare, work);
}

/** An address as the log keeps it: the same for the same address, and nothing to call back (ledger BO-65). */
export function hashAddress(iam: Pick<Iam, 'keys'>, address: string): string {
  const { key } = iam.keys.newest('address pepper');
  return createHmac('sha256', key).update(address).digest('base64url').slice(0, 22);
}
