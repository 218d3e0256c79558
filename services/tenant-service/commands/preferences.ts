import { assertUpdated } from '@ghasi/db/optimistic';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import type { Preferences, PreferencesView } from '../contract/resources.ts';
import { defaultPreferences } from '../model.ts';
import {
  findPreferences,
  insertPreferences,
  type PreferencesOf,
  updatePreferences,
} from '../queries/preferences.ts';

/** What an operator prefers at a property, else everywhere, else by default; only the first has a version. */
export async function readPreferences(ctx: Pick<Ctx, 'tx'>, of: PreferencesOf): Promise<PreferencesView> {
  const own = await findPreferences(ctx.tx, of);
  if (own) return own;
  const general =
    of.propertyId === null ? undefined : await findPreferences(ctx.tx, { ...of, propertyId: null });
  const preferences = general?.preferences ?? defaultPreferences;
  return { id: null, propertyId: of.propertyId, preferences, version: 0 };
}

/** Saves an operator's preferences, if they still have this version; 0 stands for "none yet". */
export async function savePreferences(
  ctx: Ctx,
  of: PreferencesOf,
  change: { version: number; preferences: Preferences },
): Promise<PreferencesView> {
  const { version, preferences: payload } = change;
  const touched =
    version === 0
      ? await insertPreferences(ctx, of, payload)
      : await updatePreferences(ctx, of, { version, payload });
  assertUpdated(touched, 'preferences');
  return readPreferences(ctx, of);
}
