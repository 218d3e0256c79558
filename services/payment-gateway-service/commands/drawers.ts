import type { Ctx } from '@ghasi/db/tenant-transaction';
import type { CurrencyCode } from '@ghasi/domain-primitives/currencies';
import { type Id, idToUuid } from '@ghasi/domain-primitives/ids';
import type { Money } from '@ghasi/domain-primitives/money';
import { accounts, assertPayable, compareCount, drawerAccount, expectedCash } from '../cash.ts';
import { errors } from '../errors.ts';
import { found } from '../model.ts';
import {
  type Drawer,
  type DrawerCount,
  findDrawer,
  findShift,
  insertCounts,
  insertDrawer,
  listCounts,
  lockDrawer,
  type Shift,
  setCountReason,
  updateDrawer,
} from '../queries/drawers.ts';
import { linesOfShift, post } from '../queries/ledger.ts';

/** Somebody at a drawer. `isManager`: he may use drawers of others. */
export type Handling = { shiftId: Id<'shf'>; isManager: boolean };

/** A drawer with its counts; none before it was counted, so that nobody can look first (R25). */
export type CountedDrawer = { drawer: Drawer; counts: DrawerCount[] };

/** The open shift, if the caller works it. */
export async function assertShift(ctx: Ctx, { shiftId, isManager }: Handling): Promise<Shift> {
  const shift = await findShift(ctx.tx, shiftId);
  if (shift === undefined || shift.closed) throw errors.SHIFT_UNKNOWN();
  const isOwn = ctx.actor.type === 'user' && ctx.actor.id.startsWith('usr_');
  if (!isManager && !(isOwn && idToUuid(ctx.actor.id as Id<'usr'>) === shift.operatorId))
    throw errors.NOT_YOUR_SHIFT();
  return shift;
}

/** Opens the drawer of a shift with its float, per currency. */
export async function openDrawer(
  ctx: Ctx,
  { float, ...handling }: Handling & { float: readonly Money[] },
): Promise<CountedDrawer> {
  const { shiftId, propertyId, businessDate } = await assertShift(ctx, handling);
  for (const amount of float) assertPayable(amount);
  const { tenantId, now } = ctx;
  const drawer = { tenantId, shiftId, propertyId, businessDate, openedAt: now, openedBy: ctx.actor.id };
  if (!(await insertDrawer(ctx.tx, { ...drawer, status: 'open' }))) throw errors.DRAWER_EXISTS();
  for (const { minor, currency } of float.filter(one => one.minor > 0n)) {
    await post(ctx, {
      kind: 'float',
      fromAccount: accounts.safe,
      toAccount: drawerAccount(shiftId),
      amount: minor,
      currency,
      propertyId,
      shiftId,
      businessDate,
    });
  }
  return readDrawer(ctx, handling.shiftId);
}

/** Takes the blind count; only now is it said what was expected. One count: a second one would not be blind. */
export async function countDrawer(
  ctx: Ctx,
  { counts, ...handling }: Handling & { counts: readonly Money[] },
): Promise<CountedDrawer> {
  await assertShift(ctx, handling);
  const drawer = found(await lockDrawer(ctx.tx, handling.shiftId), 'Drawer');
  if (drawer.status !== 'open') throw errors.DRAWER_COUNTED();
  const { shiftId } = drawer;
  const counted = new Map<CurrencyCode, bigint>(counts.map(one => [one.currency, one.minor]));
  const expected = expectedCash(drawerAccount(shiftId), await linesOfShift(ctx.tx, shiftId));
  const compared = compareCount(counted, expected);
  await insertCounts(
    ctx.tx,
    compared.map(one => ({ ...one, tenantId: ctx.tenantId, shiftId })),
  );
  await updateDrawer(ctx.tx, drawer, { status: 'counted', countedAt: ctx.now });
  return readDrawer(ctx, handling.shiftId);
}

/** Closes a counted drawer: every difference becomes a line with its reason, so that the drawer holds its count. */
export async function closeDrawer(
  ctx: Ctx,
  { reasons, ...handling }: Handling & { reasons: readonly { currency: string; reason: string }[] },
): Promise<CountedDrawer> {
  await assertShift(ctx, handling);
  const drawer = found(await lockDrawer(ctx.tx, handling.shiftId), 'Drawer');
  if (drawer.status === 'open') throw errors.DRAWER_NOT_COUNTED();
  if (drawer.status === 'closed') throw errors.DRAWER_NOT_OPEN();
  const { shiftId, propertyId, businessDate } = drawer;
  const account = drawerAccount(shiftId);
  for (const count of await listCounts(ctx.tx, shiftId)) {
    const variance = count.counted - count.expected;
    if (variance === 0n) continue;
    const reason = reasons.find(one => one.currency === count.currency)?.reason;
    if (reason === undefined) throw errors.VARIANCE_NEEDS_REASON({ currency: count.currency });
    const isOver = variance > 0n;
    await setCountReason(ctx.tx, count, reason);
    await post(ctx, {
      kind: 'variance',
      fromAccount: isOver ? accounts.overShort : account,
      toAccount: isOver ? account : accounts.overShort,
      amount: isOver ? variance : -variance,
      currency: count.currency,
      propertyId,
      shiftId,
      businessDate,
      reason,
    });
  }
  await updateDrawer(ctx.tx, drawer, { status: 'closed', closedAt: ctx.now });
  return readDrawer(ctx, handling.shiftId);
}

/** The drawer of a shift. */
export async function readDrawer({ tx }: Pick<Ctx, 'tx'>, shiftId: Id<'shf'>): Promise<CountedDrawer> {
  const drawer = found(await findDrawer(tx, shiftId), 'Drawer');
  return { drawer, counts: await listCounts(tx, drawer.shiftId) };
}
