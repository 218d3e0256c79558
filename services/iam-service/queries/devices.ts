import { and, asc, eq, gt, isNull, sql } from '@ghasi/db/drizzle';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import type { Id } from '@ghasi/domain-primitives/ids';
import { hashToken, newTypedCode, type SecretToken } from '../secret-token.ts';
import { deviceNonces, devicePairings, devices } from '../tables/sessions.ts';

export type Device = typeof devices.$inferSelect;

/** A device that may still speak. */
export async function findLiveDevice(ctx: Ctx, id: Id<'dev'>): Promise<Device | undefined> {
  const [found] = await ctx.tx
    .select()
    .from(devices)
    .where(and(eq(devices.tenant_id, ctx.tenantId), eq(devices.id, id), isNull(devices.revoked_at)));
  return found;
}

/** All devices of a tenant, revoked ones too. */
export async function listDevices(ctx: Ctx): Promise<Device[]> {
  return ctx.tx.select().from(devices).where(eq(devices.tenant_id, ctx.tenantId)).orderBy(asc(devices.id));
}

/** Adds a device, at its first version; false when a live device already has this key. */
export async function insertDevice(
  ctx: Ctx,
  device: Omit<Device, 'tenant_id' | 'paired_at' | 'revoked_at' | 'version'>,
): Promise<boolean> {
  const added = await ctx.tx
    .insert(devices)
    .values({ ...device, tenant_id: ctx.tenantId, paired_at: ctx.now })
    .onConflictDoNothing()
    .returning({ id: devices.id });
  return added.length === 1;
}

/** Takes a device's voice away; returns its version then, or undefined when there was none to take. */
export async function revokeDeviceRow(ctx: Ctx, id: Id<'dev'>): Promise<number | undefined> {
  const [revoked] = await ctx.tx
    .update(devices)
    .set({ revoked_at: ctx.now, version: sql`${devices.version} + 1` })
    .where(and(eq(devices.tenant_id, ctx.tenantId), eq(devices.id, id), isNull(devices.revoked_at)))
    .returning({ version: devices.version });
  return revoked?.version;
}

/** Makes a pairing code. */
export async function insertPairing(
  ctx: Ctx,
  pairing: { deviceName: string; createdBy: Id<'usr'>; lifeMs: number },
): Promise<SecretToken & { id: Id<'pai'>; expiresAt: Date }> {
  const code = newTypedCode('pairing');
  const id = ctx.newId('pai', ctx.now.getTime());
  const expiresAt = new Date(ctx.now.getTime() + pairing.lifeMs);
  await ctx.tx.insert(devicePairings).values({
    tenant_id: ctx.tenantId,
    id,
    code_hash: code.hash,
    device_name: pairing.deviceName,
    created_by: pairing.createdBy,
    created_at: ctx.now,
    expires_at: expiresAt,
  });
  return { ...code, id, expiresAt };
}

/** Uses a pairing code up; undefined when it does not work or somebody was faster. */
export async function consumePairing(ctx: Ctx, code: string) {
  const [used] = await ctx.tx
    .update(devicePairings)
    .set({ used_at: ctx.now })
    .where(
      and(
        eq(devicePairings.tenant_id, ctx.tenantId),
        eq(devicePairings.code_hash, hashToken('pairing', code)),
        isNull(devicePairings.used_at),
        gt(devicePairings.expires_at, ctx.now),
      ),
    )
    .returning();
  return used;
}

/** Spends a nonce; false when it was spent before, by whatever process. */
export async function spendNonce(
  ctx: Ctx,
  nonce: { deviceId: Id<'dev'>; nonce: string; expiresAt: Date },
): Promise<boolean> {
  const spent = await ctx.tx
    .insert(deviceNonces)
    .values({
      tenant_id: ctx.tenantId,
      device_id: nonce.deviceId,
      nonce: nonce.nonce,
      expires_at: nonce.expiresAt,
    })
    .onConflictDoNothing()
    .returning({ nonce: deviceNonces.nonce });
  return spent.length === 1;
}
