import { lockEntity } from '@ghasi/db/advisory-lock';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import type { Id } from '@ghasi/domain-primitives/ids';
import { redate, type Told } from '../model/stay.ts';
import { saveStay, staysOf } from '../queries/stays.ts';

/** Follows a stay to other dates. No room changes with it: who is in one stays in it. */
export async function followDates(
  ctx: Ctx,
  { reservationId, rooms }: { reservationId: Id<'rsv'>; rooms: readonly Told[] },
): Promise<'noop' | undefined> {
  ctx.write(lockEntity(ctx.tx, ctx.tenantId, { type: 'housekeeping.booking', id: reservationId }));
  const known = new Map((await staysOf(ctx, reservationId)).map(stay => [stay.bookedRoomId, stay]));
  let isNews = false;
  for (const told of rooms) {
    const before = known.get(told.bookedRoomId);
    const stay = redate(before, told);
    if (stay === before) continue;
    isNews = true;
    saveStay(ctx, stay);
  }
  return isNews ? undefined : 'noop';
}
