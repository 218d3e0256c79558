import { type Accepted, accepted } from '@ghasi/db/accepted';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { type Id, idToUuid } from '@ghasi/domain-primitives/ids';
import type { suspendReasons } from '../contract.ts';
import { errors } from '../errors.ts';
import type { Locks } from '../locks.ts';
import type { ActionName } from '../model/desk.ts';
import { type Proof, record } from '../queries/actions.ts';
import { type Booking, lockBooking, lockRoom, roomsOf } from '../queries/bookings.ts';
import { credentialIdOf, type Key, keysOfRoom, readKey, updateKey } from '../queries/keys.ts';
import { changeKey, ending } from './change-key.ts';
import { awake } from './look-after.ts';
import { settleBooking } from './settle-booking.ts';

/** A key in the hands of staff, and how they proved who they are. */
export type AtDesk = { readonly credentialId: Id<'key'>; readonly proof?: Proof };

/** Shows what opens the door, to staff, once the guest is here. Nobody sees a code before check-in. */
export async function releaseKey(
  ctx: Ctx,
  locks: Locks,
  { credentialId, proof }: AtDesk,
): Promise<{ key: Key; code: string }> {
  const { key, booking } = await lockKey(ctx, credentialId);
  if (booking.phase !== 'here') throw errors.GUEST_NOT_HERE();
  if (key.wish === 'gone') throw errors.KEY_REVOKED();
  if (key.status !== 'issued') throw errors.KEY_NOT_ISSUED({ status: key.status });
  if (key.sealedCode === null) throw errors.NOT_A_CODE({ medium: key.medium });
  const code = locks.safe.open(key.sealedCode, { tenantId: ctx.tenantId, credentialId });
  await note(ctx, 'release', { key, proof });
  const given = key.givenAt === null ? await updateKey(ctx, key, { givenAt: ctx.now }) : key;
  return { key: given, code };
}

type Replacement = {
  readonly reservationId: Id<'rsv'>;
  readonly bookedRoomId: Id<'brm'>;
  readonly because: 'lost' | 'security';
  readonly proof?: Proof;
};

/** A guest gets another key: the old one dies at once (R27). Also where there is none yet. */
export async function replaceKeys(
  ctx: Ctx,
  locks: Locks,
  { reservationId, bookedRoomId, because, proof }: Replacement,
): Promise<Accepted<Key[]>> {
  const booking = await lockBooking(ctx, idToUuid(reservationId));
  const rooms = booking === undefined ? [] : await roomsOf(ctx.tx, booking.reservationId);
  const room = rooms.find(one => one.bookedRoomId === idToUuid(bookedRoomId));
  if (booking === undefined || room === undefined) throw errors.BOOKING_UNKNOWN();
  if (booking.phase === 'ended') throw errors.BOOKING_ENDED();
  if (room.roomId === null) throw errors.NO_ROOM_ASSIGNED();
  if (booking.phase !== 'here') throw errors.GUEST_NOT_HERE();
  lockRoom(ctx, room.roomId);
  const old = await keysOfRoom(ctx.tx, room.bookedRoomId);
  const change = ending(because === 'lost' ? 'replaced' : 'security');
  const events = [];
  for (const key of old) events.push(...(await changeKey(ctx, locks, { key, change })).events);
  const last = old.findLast(({ status }) => status === 'issued') ?? old.at(-1);
  const replaced = last === undefined ? {} : { replaced: { ...room, keyId: last.id } };
  events.push(...(await settleBooking(ctx, locks, { booking, ...replaced })));
  const now = await keysOfRoom(ctx.tx, room.bookedRoomId);
  for (const key of now) await note(ctx, 'replace', { key, proof });
  return accepted(now, events);
}

type Suspension = AtDesk & { readonly reason: (typeof suspendReasons)[number]; readonly until: Date | null };

/** Lets a key sleep until somebody lifts it or a moment comes; no other key takes its place meanwhile. */
export async function suspendKey(
  ctx: Ctx,
  locks: Locks,
  { credentialId, reason, until, proof }: Suspension,
): Promise<Accepted<Key>> {
  const { key } = await lockKey(ctx, credentialId);
  if (key.vendor === 'mechanical') throw errors.METAL_KEY();
  if (key.wish === 'gone') throw errors.KEY_REVOKED();
  if (key.status !== 'issued') throw errors.KEY_NOT_ISSUED({ status: key.status });
  const change = {
    ...awake,
    wish: 'asleep',
    suspendReason: reason,
    suspendedUntil: until,
    suspendedBy: ctx.actor.id,
  } as const;
  const changed = await changeKey(ctx, locks, { key, change });
  await note(ctx, 'suspend', { key, proof });
  return accepted(changed.key, changed.events);
}

/** Wakes a key up. */
export async function liftKey(
  ctx: Ctx,
  locks: Locks,
  { credentialId, proof }: AtDesk,
): Promise<Accepted<Key>> {
  const { key, booking } = await lockKey(ctx, credentialId);
  if (key.wish !== 'asleep') throw errors.NOT_SUSPENDED();
  const changed = await changeKey(ctx, locks, { key, change: awake });
  await note(ctx, 'lift', { key, proof });
  const settled = await settleBooking(ctx, locks, { booking });
  return accepted(await readKey(ctx.tx, credentialId), [...changed.events, ...settled]);
}

/** The key and its booking, in the hands of this transaction alone. */
export async function lockKey(ctx: Ctx, credentialId: Id<'key'>): Promise<{ key: Key; booking: Booking }> {
  const named = await readKey(ctx.tx, credentialId);
  const booking = await lockBooking(ctx, named.reservationId);
  lockRoom(ctx, named.roomId);
  if (booking === undefined) throw errors.BOOKING_UNKNOWN();
  return { key: await readKey(ctx.tx, credentialIdOf(named)), booking };
}

/** Writes down who did it. */
export function note(
  ctx: Ctx,
  action: ActionName,
  { key, proof }: { key: Key; proof?: Proof | undefined },
): Promise<void> {
  return record(ctx, action, { keyId: key.id, lockId: key.lockId, reservationId: key.reservationId, proof });
}
