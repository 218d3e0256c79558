import type { Ctx } from '@ghasi/db/tenant-transaction';
import { idFromUuid, idToUuid } from '@ghasi/domain-primitives/ids';
import { parseZone } from '@ghasi/domain-primitives/zone';
import type { PendingEvent } from '@ghasi/event-envelope/define-event';
import type { Locks } from '../locks.ts';
import { type Action, type Door, decideKeys, type Stay } from '../model/room-keys.ts';
import type { CodeRules } from '../model/windows.ts';
import { type BookedRoom, type Booking, lockRoom, roomsOf } from '../queries/bookings.ts';
import { findHouse, type House } from '../queries/houses.ts';
import { insertKey, type Key, keysOfRoom, roomKeyOf, windowsOf } from '../queries/keys.ts';
import { insertLock, type Lock, lockOfRoom } from '../queries/locks.ts';
import { afresh, changeKey, ending } from './change-key.ts';

/** Whose key was just ended by hand: the next one takes its place. */
type Replaced = { readonly bookedRoomId: string; readonly keyId: string };

/** Codes of a vendor this installation does not speak to: nobody makes any, so any rule will do. */
const anyRules: CodeRules = { stepMs: 1_000, unusedForMs: null, longestMs: null, sameWindowSameCode: false };

/**
 * Makes the keys of a booking what they should be, for a booking that is locked. Calls nobody: what a vendor has to do
 * is planned. Called again with nothing new, it does nothing.
 */
export async function settleBooking(
  ctx: Ctx,
  locks: Locks,
  { booking, replaced }: { booking: Booking; replaced?: Replaced },
): Promise<PendingEvent[]> {
  const [house, rooms] = await Promise.all([
    findHouse(ctx.tx, booking.propertyId),
    roomsOf(ctx.tx, booking.reservationId),
  ]);
  const events: PendingEvent[] = [];
  for (const room of rooms) {
    if (room.roomId !== null) lockRoom(ctx, room.roomId);
    const own = replaced?.bookedRoomId === room.bookedRoomId ? replaced.keyId : null;
    events.push(...(await settleRoom(ctx, locks, { booking, room, house, replaced: own })));
  }
  return events;
}

type OneRoom = {
  readonly booking: Booking;
  readonly room: BookedRoom;
  readonly house: House | undefined;
  readonly replaced: string | null;
};

async function settleRoom(ctx: Ctx, locks: Locks, one: OneRoom): Promise<PendingEvent[]> {
  const { booking, room, house, replaced } = one;
  const [known, lock] = await Promise.all([
    keysOfRoom(ctx.tx, room.bookedRoomId),
    room.roomId === null ? undefined : lockOfRoom(ctx.tx, room.roomId),
  ]);
  const window = { from: booking.validFrom, until: booking.validUntil };
  const { phase, isPaid, endReason } = booking;
  const stay: Stay = { phase, isPaid, endReason, roomId: room.roomId, window };
  const door = await doorOf(ctx, locks, { lock, house });
  const decided = decideKeys(stay, { door, keys: known.map(roomKeyOf), now: ctx.now, replaced });
  const events: PendingEvent[] = [];
  const current = new Map(known.map(key => [key.id, key]));
  for (const action of decided) {
    const done =
      action.do === 'want'
        ? await make(ctx, locks, { ...one, lock, action })
        : await carryOut(ctx, locks, { key: current.get(action.keyId) as Key, action, stay });
    current.set(done.key.id, done.key);
    events.push(...done.events);
  }
  return events;
}

async function doorOf(
  { tx, now }: Ctx,
  locks: Locks,
  { lock, house }: { lock: Lock | undefined; house: House | undefined },
): Promise<Door> {
  if (lock === undefined || lock.vendor === 'mechanical') return { kind: 'metal' };
  const vendor = locks.vendorOf(lock.vendor);
  const rules = vendor?.rules ?? anyRules;
  return {
    kind: 'electronic',
    lockId: lock.id,
    changesInPlace: vendor?.changesInPlace(lock.reach) ?? true,
    rounding: {
      rules,
      zone: parseZone(house?.zone ?? 'UTC'),
      end: house?.endRounding ?? 'up',
      taken: rules.sameWindowSameCode ? await windowsOf(tx, lock.id, now) : [],
    },
  };
}

type Existing = { key: Key; action: Exclude<Action, { do: 'want' }>; stay: Stay };

function carryOut(ctx: Ctx, locks: Locks, { key, action, stay }: Existing) {
  switch (action.do) {
    case 'end':
      return changeKey(ctx, locks, { key, change: ending(action.reason) });
    case 'announce':
      return changeKey(ctx, locks, {
        key,
        change: {
          ...afresh,
          announce: true,
          reason: action.reason,
          replaces: action.replaces ?? key.replaces,
        },
      });
    case 'give':
      return changeKey(ctx, locks, { key, change: { givenAt: ctx.now } });
    case 'rewindow': {
      const { from: windowFrom, until: windowUntil } = action.window;
      const isByHand = key.atVendor === 'by_hand';
      const held = isByHand ? { heldFrom: windowFrom, heldUntil: windowUntil } : {};
      const made = { stayFrom: stay.window.from, stayUntil: stay.window.until };
      return changeKey(ctx, locks, { key, change: { ...afresh, windowFrom, windowUntil, ...held, ...made } });
    }
  }
}

type Wanted = OneRoom & { lock: Lock | undefined; action: Extract<Action, { do: 'want' }> };

/** A new key. A metal one is in the guest's hand as soon as the house says so; a code is fetched by a job. */
async function make(ctx: Ctx, locks: Locks, wanted: Wanted) {
  const { booking, room, house, action } = wanted;
  const lock = wanted.lock ?? (await mechanicalLock(ctx, wanted));
  const isMetal = lock.vendor === 'mechanical';
  const isHandedOver = isMetal && (house?.metalKeys ?? 'with_check_in') === 'with_check_in';
  const { from: windowFrom, until: windowUntil } = action.window ?? {
    from: booking.validFrom,
    until: booking.validUntil,
  };
  const key = await insertKey(ctx.tx, {
    tenantId: ctx.tenantId,
    id: idToUuid(ctx.newId('key')),
    reservationId: booking.reservationId,
    bookedRoomId: room.bookedRoomId,
    propertyId: booking.propertyId,
    guestId: booking.guestId,
    roomId: room.roomId as string,
    lockId: lock.id,
    vendor: lock.vendor,
    medium: isMetal ? 'metal_key' : (locks.vendorOf(lock.vendor)?.medium ?? 'passcode'),
    status: 'wanted',
    wish: 'live',
    atVendor: 'absent',
    announce: action.announce,
    stayFrom: booking.validFrom,
    stayUntil: booking.validUntil,
    windowFrom,
    windowUntil,
    reason: action.reason,
    replaces: action.replaces,
    createdAt: ctx.now,
    updatedAt: ctx.now,
  });
  const byDesk = { queuedAt: ctx.now, operation: 'issue' } as const;
  if (isHandedOver) return changeKey(ctx, locks, { key, change: inHand(key, ctx.now) });
  if (isMetal) return changeKey(ctx, locks, { key, change: byDesk });
  if (action.window === null)
    return changeKey(ctx, locks, {
      key,
      change: { ...byDesk, failure: 'refused', vendorCode: 'window_over' },
    });
  return changeKey(ctx, locks, { key, change: {} });
}

/** A person has handed it over or made it: it opens, and no vendor knows of it. */
export function inHand(key: Key, now: Date) {
  const name = key.vendor === 'mechanical' ? 'metal' : 'by_hand';
  return {
    ...afresh,
    atVendor: 'by_hand',
    heldFrom: key.windowFrom,
    heldUntil: key.windowUntil,
    vendorReference: `${name}:${idFromUuid('lck', key.lockId)}`,
    announce: true,
    givenAt: now,
  } as const;
}

/** The lock of brass on a door that has no other. */
function mechanicalLock(ctx: Ctx, { booking, room }: OneRoom): Promise<Lock> {
  const lockId = ctx.newId('lck');
  return insertLock(ctx.tx, {
    tenantId: ctx.tenantId,
    id: idToUuid(lockId),
    propertyId: booking.propertyId,
    roomId: room.roomId,
    vendor: 'mechanical',
    vendorReference: `metal:${lockId}`,
    reach: 'offline',
    status: 'paired',
    pairedAt: ctx.now,
  });
}
