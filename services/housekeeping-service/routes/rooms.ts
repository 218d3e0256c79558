import type { Ask } from '@ghasi/backbone/question';
import { tenantRead } from '@ghasi/db/tenant-transaction';
import { coreErrors } from '@ghasi/domain-primitives/errors';
import type { LocalDate } from '@ghasi/domain-primitives/local-date';
import { type AnyRoute, defineRoute, operator } from '@ghasi/http/route';
import { idText } from '@melmastoon/catalog/parts';
import { propertyOf } from '@melmastoon/property-service/contract';
import { z } from 'zod';
import { boardOf } from '../board.ts';
import { setConditions } from '../commands/condition.ts';
import { observe, resolveDiscrepancy } from '../commands/observe.ts';
import {
  board,
  conditionChange,
  decision,
  discrepancyView,
  observation,
  statesView,
} from '../contract/resources.ts';
import { errors } from '../errors.ts';
import { type Discrepancy, listDiscrepancies } from '../queries/discrepancies.ts';

const readers = ['owner', 'manager', 'front_desk', 'housekeeping', 'maintenance', 'auditor'];
const keepers = ['owner', 'manager', 'housekeeping'];
const desk = ['owner', 'manager', 'front_desk'];

const viewDiscrepancy = ({ foundAt, resolvedAt, ...one }: Discrepancy) => ({
  ...one,
  foundAt: foundAt.toISOString(),
  resolvedAt: resolvedAt?.toISOString() ?? null,
});

const setCondition = defineRoute({
  method: 'POST',
  path: '/api/v1/housekeeping/room-conditions',
  summary: 'Say what rooms are like, all of them or none',
  auth: operator(keepers),
  body: conditionChange,
  returns: { 200: statesView },
  errors: [
    coreErrors.NOT_FOUND,
    errors.CONDITION_REFUSED,
    errors.TASK_OPEN,
    errors.ROOM_CLOSED,
    errors.HOUSE_UNKNOWN,
  ],
  async handler(ctx, { body }) {
    const { value, events } = await setConditions(ctx, body);
    const rooms = value.map(({ id: roomId, state, statusVersion }) => ({
      ...{ roomId, statusVersion },
      ...state,
    }));
    return { status: 200, body: { rooms }, events };
  },
});

const look = defineRoute({
  method: 'POST',
  path: '/api/v1/housekeeping/rooms/:roomId/observations',
  summary: 'Say what was seen in a room; where the desk says otherwise, a discrepancy is recorded',
  auth: operator(keepers),
  params: z.strictObject({ roomId: idText('rom') }),
  body: observation,
  returns: { 200: z.strictObject({ discrepancy: discrepancyView.nullable() }) },
  errors: [coreErrors.NOT_FOUND, errors.ROOM_CLOSED, errors.HOUSE_UNKNOWN],
  async handler(ctx, { params: { roomId }, body }) {
    const found = await observe(ctx, { roomId, ...body });
    return { status: 200, body: { discrepancy: found && viewDiscrepancy(found) } };
  },
});

const listOpen = defineRoute({
  method: 'GET',
  path: '/api/v1/housekeeping/discrepancies',
  summary: 'Rooms that desk and housekeeping see differently',
  auth: operator(readers),
  query: z.strictObject({ propertyId: idText('pro'), status: z.enum(['open', 'all']).default('open') }),
  returns: { 200: z.strictObject({ discrepancies: z.array(discrepancyView) }) },
  async handler(ctx, { query: { propertyId, status } }) {
    const found = await listDiscrepancies(ctx, { propertyId, onlyOpen: status === 'open' });
    return { status: 200, body: { discrepancies: found.map(viewDiscrepancy) } };
  },
});

const resolve = defineRoute({
  method: 'POST',
  path: '/api/v1/housekeeping/discrepancies/:discrepancyId/resolve',
  summary: 'Decide what is true of a room',
  auth: operator(desk),
  params: z.strictObject({ discrepancyId: z.uuid() }),
  body: decision,
  returns: { 200: discrepancyView },
  errors: [coreErrors.NOT_FOUND, errors.DISCREPANCY_RESOLVED, errors.DECISION_UNFIT],
  async handler(ctx, { params: { discrepancyId: id }, body }) {
    const { value, events } = await resolveDiscrepancy(ctx, { id, ...body });
    return { status: 200, body: viewDiscrepancy(value), events };
  },
});

/** Rooms, what was seen in them, and what is to be settled. The board asks property-service for the rule of the house. */
export function roomRoutes(ask: Ask): readonly AnyRoute[] {
  const showBoard = defineRoute({
    method: 'GET',
    path: '/api/v1/housekeeping/rooms',
    summary: 'The board: every room with both axes of its state, its guests and its work',
    auth: operator(readers),
    query: z.strictObject({ propertyId: idText('pro') }),
    returns: { 200: board },
    errors: [coreErrors.NOT_FOUND],
    transaction: 'none',
    async handler(ctx, { query: { propertyId } }) {
      const house = await ask(propertyOf, { tenantId: ctx.tenantId, propertyId });
      if (house === null) throw coreErrors.NOT_FOUND({ entity: 'Property' });
      const { houseRules } = house;
      const businessDate = house.businessDate as LocalDate;
      const rooms = await tenantRead(ctx.db, ctx, own =>
        boardOf(own, { propertyId, businessDate, houseRules }),
      );
      return { status: 200, body: { propertyId, businessDate, rooms } };
    },
  });
  return [showBoard, setCondition, look, listOpen, resolve];
}
