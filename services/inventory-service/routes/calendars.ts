import { createHash, randomBytes } from 'node:crypto';
import { type Actor, systemTransaction, tenantRead } from '@ghasi/db/tenant-transaction';
import { coreErrors } from '@ghasi/domain-primitives/errors';
import { localDateIn } from '@ghasi/domain-primitives/zone';
import { content } from '@ghasi/http/content';
import { type AnyRoute, defineRoute, open, operator } from '@ghasi/http/route';
import { idText } from '@melmastoon/catalog/parts';
import { z } from 'zod';
import { writeCalendar } from '../calendar/write-calendar.ts';
import { publishCalendar } from '../commands/calendars.ts';
import { calendarToken, calendarView, newCalendar, publishedCalendar } from '../contract/calendars.ts';
import { errors } from '../errors.ts';
import {
  busyNights,
  type Calendar,
  calendarOfToken,
  findCalendar,
  listCalendars,
  revokeCalendar,
} from '../queries/calendars.ts';

const managers = ['owner', 'manager'];
const reader: Actor = { type: 'system', id: 'calendar-reader' };

const calendarOf = (one: Calendar) => ({ ...one, createdAt: one.createdAt.toISOString() });
const hashOf = (token: string) => createHash('sha256').update(token).digest();

const listAll = defineRoute({
  method: 'GET',
  path: '/api/v1/published-calendars',
  summary: 'Calendars of ours that portals can read',
  auth: operator(managers),
  query: z.strictObject({ propertyId: idText('pro') }),
  returns: { 200: z.strictObject({ calendars: z.array(calendarView) }) },
  handler: async (ctx, { query }) => {
    const found = await listCalendars(ctx, query.propertyId);
    return { status: 200, body: { calendars: found.map(calendarOf) } };
  },
});

const publish = defineRoute({
  method: 'POST',
  path: '/api/v1/published-calendars',
  summary: 'Publish when a room or room type is busy; the secret path is told once',
  auth: operator(managers),
  body: newCalendar,
  returns: { 201: publishedCalendar },
  errors: [errors.ZONE_UNKNOWN],
  idempotency: { none: 'the secret would be kept with the answer; one calendar more does no harm' },
  handler: async (ctx, { body }) => {
    const token = randomBytes(32).toString('base64url');
    const made = await publishCalendar(ctx, { ...body, tokenHash: hashOf(token) });
    const path = `/api/v1/published-calendars/${token}/busy.ics`;
    return { status: 201, body: { ...calendarOf(made), path } };
  },
});

const revoke = defineRoute({
  method: 'DELETE',
  path: '/api/v1/published-calendars/:calendarId',
  summary: 'Nobody can read this calendar any more',
  auth: operator(managers),
  params: z.strictObject({ calendarId: idText('cal') }),
  returns: { 204: z.undefined() },
  handler: async (ctx, { params }) => {
    if (!(await revokeCalendar(ctx, params.calendarId))) throw coreErrors.NOT_FOUND({ entity: 'Calendar' });
    return { status: 204 };
  },
});

const readBusy = defineRoute({
  method: 'GET',
  path: '/api/v1/published-calendars/:token/busy.ics',
  summary: 'Busy nights as a calendar, for whoever knows the secret; no names, no reasons',
  auth: open(),
  params: calendarToken,
  returns: { 200: content('text/calendar; charset=utf-8') },
  transaction: 'none',
  rateLimit: { limit: 120, windowMs: 60_000, per: 'address' },
  handler: async ({ db, log, now, tenantId: asked }, { params }) => {
    const who = { actor: reader, now, log };
    const found = await systemTransaction(db, who, ctx => calendarOfToken(ctx, hashOf(params.token)));
    // A tenant's own host name answers for that tenant only.
    if (found === undefined || (asked !== undefined && asked !== found.tenantId))
      throw coreErrors.NOT_FOUND({ entity: 'Calendar' });
    const body = await tenantRead(db, { ...who, tenantId: found.tenantId }, async ctx => {
      const calendar = await findCalendar(ctx, found.id);
      if (calendar === undefined) throw coreErrors.NOT_FOUND({ entity: 'Calendar' });
      const busy = await busyNights(ctx, { ...calendar, from: localDateIn(calendar.zone, now) });
      return writeCalendar(busy, { id: calendar.id, at: now });
    });
    return { status: 200, body };
  },
});

/** Our side of the exchange with portals. */
export const calendarRoutes: readonly AnyRoute[] = [listAll, publish, revoke, readBusy];
