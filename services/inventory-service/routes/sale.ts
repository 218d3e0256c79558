import type { LocalDate } from '@ghasi/domain-primitives/local-date';
import { type AnyRoute, defineRoute, operator } from '@ghasi/http/route';
import { idText } from '@melmastoon/catalog/parts';
import { z } from 'zod';
import { limitOverbooking } from '../commands/capacity.ts';
import { resumeSelling, stopSelling } from '../commands/stop-sells.ts';
import {
  newStopSell,
  nightsOfProperty,
  nightsOfType,
  overbooking,
  stopSellView,
  typeView,
} from '../contract/resources.ts';
import { errors } from '../errors.ts';
import { available, type Night } from '../model.ts';
import { readNights } from '../queries/nights.ts';
import { listStopSells, type StopSell } from '../queries/stop-sells.ts';

const staff = ['owner', 'manager', 'front_desk', 'housekeeping', 'maintenance', 'accountant', 'auditor'];
const sellers = ['owner', 'manager'];

const nightOf = (night: Night) => ({
  date: night.date,
  rooms: night.rooms,
  overbookLimit: night.overbookLimit,
  sold: night.sold,
  available: available(night),
  short: Math.max(0, night.sold - night.rooms - night.overbookLimit),
  stopSell: night.stopSell,
  nightVersion: night.version,
});

const byType = (nights: readonly Night[]) =>
  [...Map.groupBy(nights, night => night.roomTypeId)].map(([roomTypeId, own]) => ({
    roomTypeId,
    nights: own.map(nightOf),
  }));

const stopSellOf = ({ from, until, version: _, ...one }: StopSell) => ({ ...one, nights: { from, until } });

const showAvailability = defineRoute({
  method: 'GET',
  path: '/api/v1/availability',
  summary: 'What is left of each room type on each night',
  auth: operator(staff),
  query: nightsOfType,
  returns: { 200: z.strictObject({ roomTypes: z.array(typeView) }) },
  handler: async (ctx, { query }) => {
    const [from, until] = [query.from as LocalDate, query.until as LocalDate];
    return { status: 200, body: { roomTypes: byType(await readNights(ctx, { ...query, from, until })) } };
  },
});

const listStops = defineRoute({
  method: 'GET',
  path: '/api/v1/stop-sells',
  summary: 'Stop-sells in force',
  auth: operator(staff),
  query: nightsOfProperty,
  returns: { 200: z.strictObject({ stopSells: z.array(stopSellView) }) },
  handler: async (ctx, { query }) => {
    const [from, until] = [query.from as LocalDate, query.until as LocalDate];
    const found = await listStopSells(ctx, { ...query, from, until });
    return { status: 200, body: { stopSells: found.map(stopSellOf) } };
  },
});

const stop = defineRoute({
  method: 'POST',
  path: '/api/v1/stop-sells',
  summary: 'Take a room type off sale for some nights',
  auth: operator(sellers),
  body: newStopSell,
  returns: { 201: stopSellView },
  handler: async (ctx, { body: { nights, ...body } }) => {
    const [from, until] = [nights.from as LocalDate, nights.until as LocalDate];
    const { value, events } = await stopSelling(ctx, { ...body, from, until });
    return { status: 201, body: stopSellOf(value), events };
  },
});

const resume = defineRoute({
  method: 'POST',
  path: '/api/v1/stop-sells/:stopSellId/clear',
  summary: 'Lift a stop-sell',
  auth: operator(sellers),
  params: z.strictObject({ stopSellId: idText('sps') }),
  returns: { 200: stopSellView },
  handler: async (ctx, { params }) => {
    const { value, events } = await resumeSelling(ctx, params);
    return { status: 200, body: stopSellOf(value), events };
  },
});

const overbook = defineRoute({
  method: 'PUT',
  path: '/api/v1/overbooking-limits/:roomTypeId',
  summary: 'How many rooms of a type may be sold beyond those there are',
  auth: operator(sellers),
  params: z.strictObject({ roomTypeId: idText('rty') }),
  body: overbooking,
  returns: { 200: z.strictObject({ limit: z.int(), nights: z.int() }) },
  errors: [errors.NIGHTS_SOLD],
  handler: async (ctx, { params, body: { limit, nights } }) => {
    const some = nights && { from: nights.from as LocalDate, until: nights.until as LocalDate };
    const changed = await limitOverbooking(ctx, { ...params, limit, nights: some });
    return { status: 200, body: { limit, nights: changed.length } };
  },
});

/** What is sold, and what is not to be. */
export const saleRoutes: readonly AnyRoute[] = [showAvailability, listStops, stop, resume, overbook];
