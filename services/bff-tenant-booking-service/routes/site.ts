import { hours } from '@ghasi/domain-primitives/duration';
import { coreErrors } from '@ghasi/domain-primitives/errors';
import { CheckedJson, withFields } from '@ghasi/http/checked-json';
import { type AnyRoute, defineRoute, guest, open } from '@ghasi/http/route';
import { z } from 'zod';
import { availabilityText, cheapestRates } from '../availability.ts';
import { calendarText } from '../calendar.ts';
import {
  availabilityQuery,
  availabilityView,
  bootstrapQuery,
  bootstrapView,
  calendarQuery,
  calendarView,
  preferencesBody,
} from '../contract/booking-api.ts';
import { sessionIdOf, visitOf } from '../guest.ts';
import type { Booking } from '../runtime.ts';
import { loadSession, type Session, saveSession } from '../session.ts';
import { siteText } from '../site.ts';

const TOUCH_MS = hours(1);
const anybody = { auth: open(), transaction: 'none' as const, errors: [coreErrors.NOT_FOUND] };

/** What is the visitor's own in a bootstrap; the rest is the same for everybody and checked when it is kept. */
const ownParts = bootstrapView.pick({ session: true, features: true });

/** What a page shows before anybody has chosen anything. Read from caches; no transaction is opened for it. */
export function siteRoutes(booking: Booking): readonly AnyRoute[] {
  const bootstrap = defineRoute({
    method: 'GET',
    path: '/api/v1/booking/bootstrap',
    summary: 'The hotel group, its houses and looks, and what the visitor’s session holds',
    ...anybody,
    query: bootstrapQuery,
    returns: { 200: bootstrapView },
    async handler(ctx, { query }, request) {
      const { tenantId, sessionId, isNew, cookies } = visitOf(booking, ctx, request);
      const { now } = ctx;
      const session = await loadSession(booking, { tenantId, sessionId }, { seen: request, now });
      const { localePreference, displayCurrency } = session;
      const site = await siteText(booking, tenantId, {
        locale: query.locale ?? localePreference,
        currency: query.currency ?? displayCurrency,
      });
      const marked = attributed(session, query);
      const isStale = now.getTime() - Date.parse(session.lastSeenAt) > TOUCH_MS;
      if (isNew || isStale || marked !== session) await saveSession(booking.state(), marked, now);
      const more = ownParts.parse({ session: viewSession(session), features: await booking.flags() });
      return { status: 200, cookies, body: new CheckedJson(bootstrapView, withFields(site, more)) };
    },
  });

  const calendar = defineRoute({
    method: 'GET',
    path: '/api/v1/booking/calendar',
    summary: 'The cheapest price of each night, or that there is none, for a date grid',
    ...anybody,
    query: calendarQuery,
    returns: { 200: calendarView },
    async handler(ctx, { query }, request) {
      const { tenantId, cookies } = visitOf(booking, ctx, request);
      return {
        status: 200,
        cookies,
        body: new CheckedJson(calendarView, await calendarText(booking, tenantId, query)),
      };
    },
  });

  const availability = defineRoute({
    method: 'GET',
    path: '/api/v1/booking/availability',
    summary: 'What a house sells for a stay, with everything due, or why not',
    ...anybody,
    query: availabilityQuery,
    returns: { 200: availabilityView },
    async handler(ctx, { query }, request) {
      const { tenantId, cookies } = visitOf(booking, ctx, request);
      return {
        status: 200,
        cookies,
        body: new CheckedJson(availabilityView, await availabilityText(booking, tenantId, query)),
      };
    },
  });

  const cheapest = defineRoute({
    method: 'GET',
    path: '/api/v1/booking/cheapest',
    summary: 'The cheapest rate of each room type for a stay',
    ...anybody,
    query: availabilityQuery,
    returns: { 200: z.strictObject({ cheapest: availabilityView.shape.cheapest }) },
    async handler(ctx, { query }, request) {
      const { tenantId, cookies } = visitOf(booking, ctx, request);
      return { status: 200, cookies, body: { cheapest: await cheapestRates(booking, tenantId, query) } };
    },
  });

  const preferences = defineRoute({
    method: 'POST',
    path: '/api/v1/booking/session/preferences',
    summary: 'Remember language, currency and what the visitor allows us to remember',
    auth: guest(),
    transaction: 'late',
    body: preferencesBody,
    returns: { 200: bootstrapView.shape.session },
    async handler(ctx, { body }, request) {
      const { tenantId, now, principal } = ctx;
      const of = { tenantId, sessionId: sessionIdOf(principal) };
      const session = await loadSession(booking, of, { seen: request, now });
      const after: Session = {
        ...session,
        localePreference: body.locale ?? session.localePreference,
        displayCurrency: body.currency ?? session.displayCurrency,
        consentFlags: body.consent ?? session.consentFlags,
      };
      await saveSession(booking.state(), after, now);
      return ctx.commit(async () => ({ status: 200, body: viewSession(after) }));
    },
  });

  return [bootstrap, calendar, availability, cheapest, preferences];
}

function viewSession(session: Session): z.input<typeof bootstrapView.shape.session> {
  const { sessionId, localePreference, displayCurrency, consentFlags, activeBookingDraftId } = session;
  return {
    ...{ sessionId, locale: localePreference, currency: displayCurrency, consent: consentFlags },
    activeDraftId: activeBookingDraftId,
  };
}

/** The first campaign that brought a visitor is the one that counts. */
function attributed(session: Session, query: z.output<typeof bootstrapQuery>): Session {
  const { source, medium = null, campaign = null } = query;
  if (source === undefined || session.marketingAttribution !== null) return session;
  return { ...session, marketingAttribution: { source, medium, campaign } };
}
