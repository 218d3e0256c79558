import type { LocalDate } from '@ghasi/domain-primitives/local-date';
import { type AnyRoute, defineRoute, operator } from '@ghasi/http/route';
import { idText } from '@melmastoon/catalog/parts';
import { z } from 'zod';
import { assignRoom } from '../commands/assign-room.ts';
import { blockRoom, endBlock } from '../commands/blocks.ts';
import {
  assignmentView,
  blockView,
  moveView,
  newAssignment,
  newBlock,
  nightsOfProperty,
  roomUseView,
} from '../contract/resources.ts';
import { errors } from '../errors.ts';
import type { BookedLine } from '../queries/allocations.ts';
import { type Block, listBlocks } from '../queries/blocks.ts';
import { moveList } from '../queries/move-list.ts';
import { usesOfProperty } from '../queries/room-uses.ts';

const staff = ['owner', 'manager', 'front_desk', 'housekeeping', 'maintenance', 'auditor'];
const desk = ['owner', 'manager', 'front_desk'];
const keepers = ['owner', 'manager', 'front_desk', 'maintenance'];

const blockOf = ({ from, until, ...one }: Block) => ({ ...one, nights: { from, until } });

const assignmentOf = ({ bookedRoomId, roomTypeId, stay, slices }: BookedLine) => ({
  bookedRoomId,
  roomTypeId,
  arrival: stay.arrival,
  departure: stay.departure,
  rooms: [...slices],
});

const listUses = defineRoute({
  method: 'GET',
  path: '/api/v1/room-assignments',
  summary: 'Who or what has which room on which nights',
  auth: operator(staff),
  query: nightsOfProperty,
  returns: { 200: z.strictObject({ uses: z.array(roomUseView) }) },
  handler: async (ctx, { query }) => {
    const [from, until] = [query.from as LocalDate, query.until as LocalDate];
    const found = await usesOfProperty(ctx, { ...query, from, until });
    const uses = found.map(({ from, until, ...use }) => ({ ...use, nights: { from, until } }));
    return { status: 200, body: { uses } };
  },
});

const assign = defineRoute({
  method: 'PUT',
  path: '/api/v1/room-assignments/:bookedRoomId',
  summary: 'Put a booked room into a room, from a night on',
  auth: operator(desk),
  params: z.strictObject({ bookedRoomId: idText('brm') }),
  body: newAssignment,
  returns: { 200: assignmentView },
  errors: [
    errors.ROOM_TAKEN,
    errors.ROOM_CLOSED,
    errors.ROOM_OF_OTHER_TYPE,
    errors.NOT_ALLOCATED,
    errors.NIGHT_NOT_BOOKED,
  ],
  handler: async (ctx, { params, body }) => {
    const fromNight = body.fromNight as LocalDate | undefined;
    return { status: 200, body: assignmentOf(await assignRoom(ctx, { ...params, ...body, fromNight })) };
  },
});

const unassign = defineRoute({
  method: 'DELETE',
  path: '/api/v1/room-assignments/:bookedRoomId',
  summary: 'Take a booked room out of its room; it keeps its nights',
  auth: operator(desk),
  params: z.strictObject({ bookedRoomId: idText('brm') }),
  returns: { 200: assignmentView },
  errors: [errors.NOT_ALLOCATED],
  handler: async (ctx, { params }) => ({
    status: 200,
    body: assignmentOf(await assignRoom(ctx, { ...params, roomId: null })),
  }),
});

const blocked = defineRoute({
  method: 'GET',
  path: '/api/v1/room-blocks',
  summary: 'Rooms out of order or out of service, and what portals sold',
  auth: operator(staff),
  query: nightsOfProperty,
  returns: { 200: z.strictObject({ blocks: z.array(blockView) }) },
  handler: async (ctx, { query }) => {
    const [from, until] = [query.from as LocalDate, query.until as LocalDate];
    const found = await listBlocks(ctx, { ...query, from, until });
    return { status: 200, body: { blocks: found.map(blockOf) } };
  },
});

const block = defineRoute({
  method: 'POST',
  path: '/api/v1/room-blocks',
  summary: 'Take a room out of order or out of service for some nights',
  auth: operator(keepers),
  body: newBlock,
  returns: { 201: blockView },
  errors: [errors.ROOM_IN_USE, errors.ROOM_BLOCKED, errors.NIGHTS_SOLD],
  handler: async (ctx, { body: { nights, ...body } }) => {
    const [from, until] = [nights.from as LocalDate, nights.until as LocalDate];
    return { status: 201, body: blockOf(await blockRoom(ctx, { ...body, from, until })) };
  },
});

const unblock = defineRoute({
  method: 'POST',
  path: '/api/v1/room-blocks/:blockId/end',
  summary: 'Bring a room back',
  auth: operator(keepers),
  params: z.strictObject({ blockId: idText('rbl') }),
  returns: { 200: blockView },
  handler: async (ctx, { params }) => ({ status: 200, body: blockOf(await endBlock(ctx, params)) }),
});

const listMoves = defineRoute({
  method: 'GET',
  path: '/api/v1/move-list',
  summary: 'Guests who cannot stay in the room they have, or have none though one was sold',
  auth: operator(desk),
  query: z.strictObject({ propertyId: idText('pro') }),
  returns: { 200: z.strictObject({ moves: z.array(moveView) }) },
  handler: async (ctx, { query }) => {
    const found = await moveList(ctx, query.propertyId);
    const moves = found.map(({ from, until, ...move }) => ({ ...move, nights: { from, until } }));
    return { status: 200, body: { moves } };
  },
});

/** Who has which room, and which rooms nobody can have. */
export const roomRoutes: readonly AnyRoute[] = [
  listUses,
  assign,
  unassign,
  blocked,
  block,
  unblock,
  listMoves,
];
