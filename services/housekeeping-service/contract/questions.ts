import { defineQuestion } from '@ghasi/backbone/question';
import { idText, tenantIdText } from '@melmastoon/catalog/parts';
import { z } from 'zod';
import { notReadyReasons, roomState } from './room-state.ts';

/** A room as whoever stands at the desk needs to know it. */
export const readyRoom = z.strictObject({
  roomId: idText('rom'),
  /** A guest may have it now, by the rule of the house: inspected, or clean where that is enough (R14). */
  ready: z.boolean(),
  /** Why not; null when it is ready. */
  reason: z.enum(notReadyReasons).nullable(),
  /** Null: housekeeping has not heard of the room. */
  state: roomState.nullable(),
});

/** Are these rooms of a house ready for a guest? Asked at check-in (R14). One entry per room, in the order asked. */
export const roomStatus = defineQuestion({
  name: 'housekeeping.room-status',
  input: z.strictObject({
    tenantId: tenantIdText,
    propertyId: idText('pro'),
    roomIds: z.array(idText('rom')).min(1).max(50),
  }),
  output: z.strictObject({ rooms: z.array(readyRoom) }),
});
