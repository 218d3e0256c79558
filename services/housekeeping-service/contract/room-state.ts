import { days } from '@melmastoon/catalog/hotel-parts';
import { idText } from '@melmastoon/catalog/parts';
import { z } from 'zod';

/** First axis: is somebody in the room. */
export const occupancies = ['vacant', 'occupied'] as const;

/** Second axis: what the room is like; `pickup` needs a quick hand only. */
export const conditions = ['dirty', 'pickup', 'clean', 'inspected'] as const;

/** Out of order leaves the inventory, out of service stays sellable (R11). */
export const overlayKinds = ['out_of_order', 'out_of_service'] as const;

/**
 * Why a room is other than it was. `ticket_opened`: a block began; `ticket_closed`: it ended, with its ticket or on its last
 * day; `operator`: somebody said so, or took a check-in back.
 */
export const statusCauses = [
  'check_in',
  'check_out',
  'room_move',
  'task_completed',
  'inspection',
  'stay_over',
  'ticket_opened',
  'ticket_closed',
  'discrepancy_resolved',
  'operator',
] as const;

/** Why a room cannot be given to a guest (R14). */
export const notReadyReasons = [
  'unknown',
  'closed',
  'occupied',
  'out_of_order',
  'discrepancy',
  'not_clean',
  'not_inspected',
] as const;
export type NotReady = (typeof notReadyReasons)[number];

const overlay = z.strictObject({
  kind: z.enum(overlayKinds),
  days,
  /** The condition the room comes back in. */
  returnCondition: z.enum(conditions),
  ticketId: idText('mtk').nullable(),
});

/** Both axes of a room and the overlay in force, if any. */
export const roomState = z
  .strictObject({
    occupancy: z.enum(occupancies),
    condition: z.enum(conditions),
    overlay: overlay.nullable(),
  })
  .refine(
    ({ occupancy, overlay }) => occupancy === 'vacant' || overlay === null,
    'an occupied room is neither out of order nor out of service (R11)',
  );
export type RoomState = z.output<typeof roomState>;

/** True when two states say the same. */
export function isSameState(left: RoomState, right: RoomState): boolean {
  return flat(left).every((part, index) => part === flat(right)[index]);
}

function flat({ occupancy, condition, overlay }: RoomState): (string | null | undefined)[] {
  return [
    occupancy,
    condition,
    overlay?.kind,
    overlay?.days.from,
    overlay?.days.until,
    overlay?.returnCondition,
    overlay?.ticketId,
  ];
}
