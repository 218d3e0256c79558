import { type Accepted, accepted } from '@ghasi/db/accepted';
import { assertUpdated } from '@ghasi/db/optimistic';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import type { Id } from '@ghasi/domain-primitives/ids';
import type { NewTheme, ThemeView, TokenValues } from '../contract/resources.ts';
import { type SiteTheme, TokensChanged } from '../contract.ts';
import { errors } from '../errors.ts';
import { changedTokens, contrastProblems, overlay, platformLook, withKinds } from '../model.ts';
import { readPreset } from '../queries/presets.ts';
import {
  assertProperty,
  findThemesFor,
  insertTheme,
  readTheme,
  type Theme,
  updateTheme,
} from '../queries/themes.ts';

/** Sets up the brand of the tenant, or of one property, on the newest version of a look. */
export async function createTheme(
  ctx: Ctx,
  { id = ctx.newId('thm'), propertyId, presetId, overrides: own }: NewTheme & { id?: Id<'thm'> },
): Promise<Accepted<ThemeView>> {
  const { look, presetVersion } = await publishedLook(ctx, presetId);
  if (propertyId !== null) await assertProperty(ctx.tx, propertyId);
  const overrides = overlay([], own);
  const tokens = overlay(look, overrides);
  assertReadable(tokens);
  const theme = { id, propertyId, presetId, presetVersion, overrides, tokens };
  if (!(await insertTheme(ctx, theme))) throw errors.THEME_EXISTS();
  const saved = await readTheme(ctx.tx, id);
  return accepted(shown(saved), tokensChanged(saved, []));
}

/** Gives a brand other tokens or another look, if nobody changed it since this version. */
export async function changeTheme(
  ctx: Ctx,
  input: { id: Id<'thm'>; version: number; presetId: Id<'thp'>; overrides: TokenValues },
): Promise<Accepted<ThemeView>> {
  const { id, version, presetId } = input;
  const { look, presetVersion } = await publishedLook(ctx, presetId);
  const before = await readTheme(ctx.tx, id);
  assertUpdated(before.version === version ? 1 : 0, 'theme');
  const overrides = overlay([], input.overrides);
  const tokens = overlay(look, overrides);
  assertReadable(tokens);
  const events = await saveLook(ctx, before, { ...before, presetId, presetVersion, overrides, tokens });
  return accepted(shown(await readTheme(ctx.tx, id)), events);
}

/** Saves what a brand looks like now and tells what that changes; the same tokens as before tell nothing. */
export async function saveLook(ctx: Ctx, before: Theme, after: Theme) {
  assertUpdated(await updateTheme(ctx, after), 'theme');
  return tokensChanged({ ...after, version: before.version + 1 }, before.tokens);
}

/** Refuses colours that people could not tell apart, and names each pair. */
export function assertReadable(tokens: TokenValues): void {
  const problems = contrastProblems(tokens);
  if (problems.length === 0) return;
  const issues = problems.map(({ front, back, least, ratio }) => ({
    path: front,
    code: 'contrast',
    message: `${front} on ${back} has ${ratio.toFixed(2)}:1 and needs ${least}:1`,
  }));
  throw errors.CONTRAST_TOO_LOW({ count: problems.length, issues });
}

/** The look of a property, else of the tenant, else the platform's own. */
export async function readSiteTheme(
  { tx }: Pick<Ctx, 'tx'>,
  propertyId: Id<'pro'> | null,
): Promise<SiteTheme> {
  const { own, general } = await findThemesFor(tx, propertyId);
  const theme = own ?? general;
  if (theme === undefined) return { themeId: null, themeVersion: 0, tokens: withKinds(platformLook) };
  return { themeId: theme.id, themeVersion: theme.version, tokens: withKinds(theme.tokens) };
}

/** A brand as its managers see it. */
export function shown(theme: Theme): ThemeView {
  return { ...theme, tokens: withKinds(theme.tokens) };
}

async function publishedLook({ tx }: Ctx, presetId: Id<'thp'>) {
  const { view, published } = await readPreset(tx, presetId, 'share');
  if (published === null) throw errors.PRESET_NOT_PUBLISHED();
  return { look: published.tokens, presetVersion: view.presetVersion };
}

function tokensChanged(theme: Theme, before: TokenValues) {
  const changed = changedTokens(before, theme.tokens);
  if (changed.length === 0) return [];
  const { id: themeId, version: themeVersion, propertyId, presetId, presetVersion } = theme;
  const tokens = withKinds(theme.tokens);
  const payload = { themeId, themeVersion, propertyId, presetId, presetVersion, tokens, changed };
  return [TokensChanged.from(payload, { aggregateVersion: themeVersion })];
}
