import { coreErrors } from '@ghasi/domain-primitives/errors';
import { type AnyRoute, defineRoute, operator } from '@ghasi/http/route';
import { idText, version } from '@melmastoon/catalog/parts';
import { hotelRoles } from '@melmastoon/tenant-service/contract';
import { z } from 'zod';
import { changeDraft, draftRoomType, publishRoomType } from '../commands/room-type.ts';
import { draftChange, newRoomType, roomTypeView } from '../contract/resources.ts';
import { errors } from '../errors.ts';
import { readProperty } from '../queries/properties.ts';
import { listRoomTypes, readRoomType } from '../queries/room-type.ts';

const staff = operator([...hotelRoles]);
const managers = operator(['owner', 'manager']);
const ofProperty = z.strictObject({ propertyId: idText('pro') });
const params = z.strictObject({ roomTypeId: idText('rty') });

const list = defineRoute({
  method: 'GET',
  path: '/api/v1/properties/:propertyId/room-types',
  summary: 'The room types of a house, drafts included, a page at a time',
  auth: staff,
  params: ofProperty,
  query: z.strictObject({
    after: idText('rty').optional(),
    limit: z.coerce.number().int().min(1).max(100).default(50),
  }),
  returns: { 200: z.strictObject({ roomTypes: z.array(roomTypeView) }) },
  errors: [coreErrors.NOT_FOUND],
  handler: async (ctx, { params: { propertyId }, query }) => {
    await readProperty(ctx.tx, propertyId);
    return { status: 200, body: { roomTypes: await listRoomTypes(ctx.tx, { propertyId, ...query }) } };
  },
});

const draft = defineRoute({
  method: 'POST',
  path: '/api/v1/properties/:propertyId/room-types',
  summary: 'Draft a room type; it is sold once it is published and has rooms',
  auth: managers,
  params: ofProperty,
  body: newRoomType,
  returns: { 201: roomTypeView },
  errors: [errors.ROOM_TYPE_CODE_TAKEN, coreErrors.NOT_FOUND],
  handler: async (ctx, input) => ({
    status: 201,
    body: await draftRoomType(ctx, { ...input.body, ...input.params }),
  }),
});

const show = defineRoute({
  method: 'GET',
  path: '/api/v1/room-types/:roomTypeId',
  summary: 'One room type: its draft, and what is published',
  auth: staff,
  params,
  returns: { 200: roomTypeView },
  errors: [coreErrors.NOT_FOUND],
  handler: async (ctx, input) => ({
    status: 200,
    body: await readRoomType(ctx.tx, input.params.roomTypeId),
  }),
});

const change = defineRoute({
  method: 'PUT',
  path: '/api/v1/room-types/:roomTypeId/draft',
  summary: 'Replace the draft of a room type, based on the version',
  auth: managers,
  params,
  body: draftChange,
  returns: { 200: roomTypeView },
  errors: [coreErrors.NOT_FOUND, coreErrors.VERSION_CONFLICT],
  handler: async (ctx, input) => ({
    status: 200,
    body: await changeDraft(ctx, { id: input.params.roomTypeId, ...input.body }),
  }),
});

const publish = defineRoute({
  method: 'POST',
  path: '/api/v1/room-types/:roomTypeId/publish',
  summary: 'Publish the draft as the next version of the room type, based on the version',
  auth: managers,
  params,
  body: z.strictObject({ version }),
  returns: { 200: roomTypeView },
  errors: [errors.NOTHING_TO_PUBLISH, coreErrors.NOT_FOUND, coreErrors.VERSION_CONFLICT],
  handler: async (ctx, input) => {
    const { value, events } = await publishRoomType(ctx, { id: input.params.roomTypeId, ...input.body });
    return { status: 200, body: value, events };
  },
});

/** What can be sold in a house. */
export const roomTypeRoutes: readonly AnyRoute[] = [list, draft, show, change, publish];
