import { and, eq, isNull } from '@ghasi/db/drizzle';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { type Id, idFromUuid, idToUuid } from '@ghasi/domain-primitives/ids';
import type { Preferences, PreferencesView } from '../contract/resources.ts';
import { operatorPreferences as table } from '../tables.ts';

type Tx = Ctx['tx'];

/** Whose preferences, and for which property; null: everywhere else. */
export type PreferencesOf = { operatorId: Id<'usr'>; propertyId: Id<'pro'> | null };

export async function findPreferences(tx: Tx, of: PreferencesOf): Promise<PreferencesView | undefined> {
  const [found] = await tx.select().from(table).where(isOf(of));
  if (found === undefined) return undefined;
  const { id, payload, version } = found;
  return { id: idFromUuid('opr', id), propertyId: of.propertyId, preferences: payload, version };
}

/** Saves the first preferences; returns 0 when somebody was faster. */
export async function insertPreferences(
  ctx: Pick<Ctx, 'tx' | 'tenantId' | 'now' | 'newId'>,
  of: PreferencesOf,
  payload: Preferences,
): Promise<number> {
  const { rowCount } = await ctx.tx
    .insert(table)
    .values({
      tenantId: ctx.tenantId,
      id: idToUuid(ctx.newId('opr')),
      operatorId: idToUuid(of.operatorId),
      propertyId: of.propertyId && idToUuid(of.propertyId),
      payload,
      updatedAt: ctx.now,
    })
    .onConflictDoNothing();
  return rowCount ?? 0;
}

/** Replaces preferences that still have this version; returns how many rows that touched. */
export async function updatePreferences(
  ctx: Pick<Ctx, 'tx' | 'now'>,
  of: PreferencesOf,
  change: { version: number; payload: Preferences },
): Promise<number> {
  const { rowCount } = await ctx.tx
    .update(table)
    .set({ payload: change.payload, version: change.version + 1, updatedAt: ctx.now })
    .where(and(isOf(of), eq(table.version, change.version)));
  return rowCount ?? 0;
}

/** Forgets everything an operator preferred here. */
export async function deletePreferencesOf(tx: Tx, operatorId: Id<'usr'>): Promise<void> {
  await tx.delete(table).where(eq(table.operatorId, idToUuid(operatorId)));
}

function isOf({ operatorId, propertyId }: PreferencesOf) {
  return and(
    eq(table.operatorId, idToUuid(operatorId)),
    propertyId === null ? isNull(table.propertyId) : eq(table.propertyId, idToUuid(propertyId)),
  );
}
