import type { Ask } from '@ghasi/backbone/question';
import { tenantRead } from '@ghasi/db/tenant-transaction';
import { coreErrors } from '@ghasi/domain-primitives/errors';
import { type AnyRoute, defineRoute, operator } from '@ghasi/http/route';
import { idText } from '@melmastoon/catalog/parts';
import { hotelRoles } from '@melmastoon/tenant-service/contract';
import { z } from 'zod';
import { addRoom, archiveRoom } from '../commands/rooms.ts';
import { newRoom, roomArchiving, roomStatuses, roomView } from '../contract/resources.ts';
import type { RoomCheck } from '../contract.ts';
import { errors } from '../errors.ts';
import { readProperty } from '../queries/properties.ts';
import { listRooms, readRoom } from '../queries/rooms.ts';

const staff = operator([...hotelRoles]);
const managers = operator(['owner', 'manager']);
const ofProperty = z.strictObject({ propertyId: idText('pro') });
const params = z.strictObject({ roomId: idText('rom') });

const list = defineRoute({
  method: 'GET',
  path: '/api/v1/properties/:propertyId/rooms',
  summary: 'The rooms of a house, a page at a time',
  auth: staff,
  params: ofProperty,
  query: z.strictObject({
    status: z.enum(roomStatuses).optional(),
    after: idText('rom').optional(),
    limit: z.coerce.number().int().min(1).max(500).default(200),
  }),
  returns: { 200: z.strictObject({ rooms: z.array(roomView) }) },
  errors: [coreErrors.NOT_FOUND],
  handler: async (ctx, { params: { propertyId }, query }) => {
    await readProperty(ctx.tx, propertyId);
    return { status: 200, body: { rooms: await listRooms(ctx.tx, { propertyId, ...query }) } };
  },
});

const add = defineRoute({
  method: 'POST',
  path: '/api/v1/properties/:propertyId/rooms',
  summary: 'Add a room of a published type',
  auth: managers,
  params: ofProperty,
  body: newRoom,
  returns: { 201: roomView },
  errors: [
    errors.ROOM_NUMBER_TAKEN,
    errors.ROOM_TYPE_NOT_PUBLISHED,
    errors.ROOM_TYPE_ELSEWHERE,
    coreErrors.NOT_FOUND,
  ],
  handler: async (ctx, input) => {
    const { value, events } = await addRoom(ctx, { ...input.body, ...input.params });
    return { status: 201, body: value, events };
  },
});

const show = defineRoute({
  method: 'GET',
  path: '/api/v1/rooms/:roomId',
  summary: 'One room',
  auth: staff,
  params,
  returns: { 200: roomView },
  errors: [coreErrors.NOT_FOUND],
  handler: async (ctx, input) => ({ status: 200, body: await readRoom(ctx.tx, input.params.roomId) }),
});

/** Who is asked before a room is archived. */
export type RoomGate = { ask: Ask; roomChecks: readonly RoomCheck[] };

/** The routes of rooms. Others are asked before the transaction, never inside it. */
export function roomRoutes({ ask, roomChecks }: RoomGate): readonly AnyRoute[] {
  const archive = defineRoute({
    method: 'POST',
    path: '/api/v1/rooms/:roomId/archive',
    summary: 'Close a room for good from a night on, based on the version; refused while somebody has it',
    auth: managers,
    params,
    body: roomArchiving,
    returns: { 200: roomView },
    errors: [
      errors.ROOM_ASSIGNED,
      errors.ROOM_ARCHIVED,
      errors.ROOM_CLOSES_IN_THE_PAST,
      coreErrors.NOT_FOUND,
      coreErrors.VERSION_CONFLICT,
    ],
    transaction: 'late',
    handler: async (ctx, { params: { roomId }, body }) => {
      const { propertyId } = await tenantRead(ctx.db, ctx, ({ tx }) => readRoom(tx, roomId));
      const asked = { tenantId: ctx.tenantId, propertyId, roomId, closedFrom: body.closedFrom };
      const answers = await Promise.all(roomChecks.map(check => ask(check, asked)));
      const reservationIds = [...new Set(answers.flatMap(answer => answer.reservationIds))];
      return ctx.commit(async own => {
        const { value, events } = await archiveRoom(own, { id: roomId, ...body, reservationIds });
        return { status: 200, body: value, events };
      });
    },
  });
  return [list, add, show, archive];
}
