import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  type JsonWebKey as NodeJwk,
} from 'node:crypto';
import { lockEntity } from '@ghasi/db/advisory-lock';
import type { Database } from '@ghasi/db/database';
import { and, asc, eq, lt } from '@ghasi/db/drizzle';
import { type Ctx, tenantRead, tenantTransaction } from '@ghasi/db/tenant-transaction';
import { PLATFORM_TENANT_ID } from '@ghasi/domain-primitives/ids';
import type { JWK } from 'jose';
import type { IamConfig } from './config.ts';
import type { InstallationKeys } from './installation-keys.ts';
import { lifetimes } from './model.ts';
import { seal, unseal } from './sealed.ts';
import { signingKeys } from './tables/sessions.ts';

/** The algorithm of access tokens, and the only one that verifies. */
export const ACCESS_ALGORITHM = 'EdDSA';

/** How old a process's picture of the keys may be. A key taken away is refused everywhere after that. */
const REFRESH_MS = 500;

type Row = typeof signingKeys.$inferSelect;

/** The installation's signing keys as one process sees them. */
export type SigningKeys = {
  /** The key that signs now; makes the first keys of a new installation. */
  current(db: Database, now: Date): Promise<{ kid: string; key: KeyObject }>;
  /** The public key behind a `kid`; undefined when we do not know it or do not trust it any more. */
  verifying(db: Database, kid: string, now: Date): Promise<KeyObject | undefined>;
  /** What `/.well-known/jwks.json` shows: also the next key, so that others know it before it signs. */
  published(db: Database, now: Date): Promise<JWK[]>;
};

/** Keys live in PostgreSQL, private halves sealed; a process keeps them for half a second. */
export function signingKeyring(config: IamConfig, keys: InstallationKeys): SigningKeys {
  let loaded: { rows: Row[]; at: number } | undefined;
  let loading: Promise<Row[]> | undefined;
  const opened = new Map<string, KeyObject>();

  async function load(db: Database): Promise<Row[]> {
    if (loaded && performance.now() - loaded.at < REFRESH_MS) return loaded.rows;
    loading ??= readKeys(db).finally(() => {
      loading = undefined;
    });
    const rows = await loading;
    loaded = { rows, at: performance.now() };
    return rows;
  }
  async function trusted(db: Database, now: Date): Promise<Row[]> {
    return (await load(db)).filter(
      row => row.retired_at === null || now.getTime() - row.retired_at.getTime() < lifetimes.retiredKeyMs,
    );
  }
  function once(name: string, open: () => KeyObject): KeyObject {
    const key = opened.get(name) ?? open();
    opened.set(name, key);
    return key;
  }
  return {
    async current(db, now) {
      let found = (await load(db)).find(row => row.status === 'current');
      if (found === undefined) {
        await tenantTransaction(db, { ...platform, now }, ctx => rotateKeys(ctx, { config, keys }));
        loaded = undefined;
        found = (await load(db)).find(row => row.status === 'current');
      }
      if (found === undefined) throw new Error('there is no signing key, and none could be made');
      const { id, sealed_private } = found;
      return { kid: id, key: once(`private ${id}`, () => openPrivate(keys, id, sealed_private)) };
    },
    async verifying(db, kid, now) {
      const known = (rows: Row[]) => rows.find(row => row.id === kid);
      let found = known(await trusted(db, now));
      if (found === undefined) {
        loaded = undefined; // it may be younger than our picture
        found = known(await trusted(db, now));
      }
      if (found === undefined) return undefined;
      const { public_jwk } = found;
      return once(`public ${kid}`, () => createPublicKey({ key: public_jwk as NodeJwk, format: 'jwk' }));
    },
    async published(db, now) {
      return (await trusted(db, now)).map(({ id, public_jwk }) => ({
        ...public_jwk,
        kid: id,
        alg: ACCESS_ALGORITHM,
        use: 'sig',
      }));
    },
  };
}

const platform = { tenantId: PLATFORM_TENANT_ID, actor: { type: 'system', id: 'iam.signing-keys' } } as const;

function readKeys(db: Database): Promise<Row[]> {
  return tenantRead(db, platform, ({ tx }) =>
    tx.select().from(signingKeys).orderBy(asc(signingKeys.created_at)),
  );
}

/** What {@link rotateKeys} did. */
export type Rotation = 'first' | 'rotated' | 'not-due';

/**
 * Lets the next key sign once the current one is old enough, and makes another next one. The old key verifies until
 * the last token it signed has expired, so nobody is signed out. `distrust` is for a leaked key: it is removed at
 * once, and so are all tokens under it; sessions live on and get new ones at their next refresh.
 */
export async function rotateKeys(
  ctx: Ctx,
  { config, keys, distrust = false }: { config: IamConfig; keys: InstallationKeys; distrust?: boolean },
): Promise<Rotation> {
  const { tx, tenantId, now } = ctx;
  await lockEntity(tx, tenantId, { type: 'signing-keys', id: 'all' });
  const rows = await tx.select().from(signingKeys);
  const current = rows.find(row => row.status === 'current');
  const due =
    current && now.getTime() - (current.activated_at ?? current.created_at).getTime() >= config.keyLifeMs;
  if (current && !due && !distrust) return 'not-due';
  const mine = eq(signingKeys.tenant_id, tenantId);
  if (current && distrust) await tx.delete(signingKeys).where(and(mine, eq(signingKeys.id, current.id)));
  else if (current) {
    await tx
      .update(signingKeys)
      .set({ status: 'retired', retired_at: now })
      .where(and(mine, eq(signingKeys.id, current.id)));
  }
  const next = rows.find(row => row.status === 'next') ?? (await addNext(ctx, keys));
  await tx
    .update(signingKeys)
    .set({ status: 'current', activated_at: now })
    .where(and(mine, eq(signingKeys.id, next.id)));
  await addNext(ctx, keys);
  const longAgo = new Date(now.getTime() - lifetimes.retiredKeyMs);
  await tx
    .delete(signingKeys)
    .where(and(mine, eq(signingKeys.status, 'retired'), lt(signingKeys.retired_at, longAgo)));
  return current ? 'rotated' : 'first';
}

async function addNext(ctx: Ctx, keys: InstallationKeys): Promise<{ id: Row['id'] }> {
  const id = ctx.newId('sgk', ctx.now.getTime());
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const sealed = seal(keys, privateKey.export({ type: 'pkcs8', format: 'der' }), placeOf(id));
  await ctx.tx.insert(signingKeys).values({
    tenant_id: ctx.tenantId,
    id,
    status: 'next',
    public_jwk: publicKey.export({ format: 'jwk' }) as JWK,
    sealed_private: sealed,
    created_at: ctx.now,
  });
  return { id };
}

function openPrivate(keys: InstallationKeys, id: string, sealed: Buffer): KeyObject {
  return createPrivateKey({ key: unseal(keys, sealed, placeOf(id)), type: 'pkcs8', format: 'der' });
}

/** A sealed key opens under its own `kid` only. */
function placeOf(kid: string) {
  return { purpose: 'signing key', context: [kid] };
}
