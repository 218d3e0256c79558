import { type Accepted, accepted } from '@ghasi/db/accepted';
import { assertUpdated } from '@ghasi/db/optimistic';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import type { Id } from '@ghasi/domain-primitives/ids';
import type { z } from 'zod';
import type { NewPreset, PresetView, publishedPreset } from '../contract/resources.ts';
import { PresetPublished } from '../contract.ts';
import { errors } from '../errors.ts';
import { contrastProblems, missingTokens, overlay, withKinds } from '../model.ts';
import { insertPreset, insertPresetVersion, readPreset, updatePreset } from '../queries/presets.ts';
import { lockThemesOn } from '../queries/themes.ts';
import { assertReadable, saveLook } from './themes.ts';

/** Begins a look as a draft: no site shows it, and it may be unfinished. */
export async function draftPreset(
  ctx: Ctx,
  { id = ctx.newId('thp'), name, tokens }: NewPreset & { id?: Id<'thp'> },
): Promise<PresetView> {
  await insertPreset(ctx, { id, name, tokens: overlay([], tokens) });
  return (await readPreset(ctx.tx, id)).view;
}

/** Replaces the draft, if nobody changed the look since this version; what is published stays. */
export async function changePreset(
  ctx: Ctx,
  { id, version, name, tokens }: NewPreset & { id: Id<'thp'>; version: number },
): Promise<PresetView> {
  await readPreset(ctx.tx, id);
  const draft = { name, tokens: overlay([], tokens) };
  assertUpdated(await updatePreset(ctx, { id, version }, draft), 'preset');
  return (await readPreset(ctx.tx, id)).view;
}

/**
 * Publishes the draft as the next version of the look. Brands built on it show it at once; one whose own tokens would
 * make it unreadable keeps the version it has.
 */
export async function publishPreset(
  ctx: Ctx,
  { id, version }: { id: Id<'thp'>; version: number },
): Promise<Accepted<z.output<typeof publishedPreset>>> {
  const { view } = await readPreset(ctx.tx, id, 'update');
  const { name, tokens } = view;
  assertUpdated(view.version === version ? 1 : 0, 'preset');
  if (!view.changed) throw errors.NOTHING_TO_PUBLISH();
  assertComplete(tokens);
  assertReadable(tokens);

  const presetVersion = view.presetVersion + 1;
  assertUpdated(
    await updatePreset(ctx, { id, version }, { published: { name, tokens }, presetVersion }),
    'preset',
  );
  await insertPresetVersion(ctx, { id, presetVersion, name, tokens });
  const published = { presetId: id, presetVersion, name, tokens: withKinds(tokens) };
  const events: unknown[] = [PresetPublished.from(published, { aggregateVersion: version + 1 })];
  const [moved, stayed]: [Id<'thm'>[], Id<'thm'>[]] = [[], []];
  for (const theme of await lockThemesOn(ctx.tx, id)) {
    const next = overlay(tokens, theme.overrides);
    const readable = contrastProblems(next).length === 0;
    (readable ? moved : stayed).push(theme.id);
    if (readable) events.push(...(await saveLook(ctx, theme, { ...theme, presetVersion, tokens: next })));
  }
  return accepted({ preset: (await readPreset(ctx.tx, id)).view, moved, stayed }, events);
}

function assertComplete(tokens: NewPreset['tokens']): void {
  const missing = missingTokens(tokens);
  if (missing.length === 0) return;
  const issues = missing.map(path => ({ path, code: 'missing', message: `${path} is missing` }));
  throw errors.PRESET_INCOMPLETE({ count: missing.length, issues });
}
