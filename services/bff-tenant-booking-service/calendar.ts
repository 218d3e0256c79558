import { payloadHash } from '@ghasi/domain-primitives/canonical-json';
import { coreErrors } from '@ghasi/domain-primitives/errors';
import type { TenantId } from '@ghasi/domain-primitives/ids';
import { eachDay, parseLocalDate } from '@ghasi/domain-primitives/local-date';
import { localDateIn, parseZone } from '@ghasi/domain-primitives/zone';
import { cacheKey } from '@ghasi/hot/cache-key';
import { availability as freeRooms } from '@melmastoon/inventory-service/contract/questions';
import { calendarOf as listedPrices } from '@melmastoon/pricing-service/contract/questions';
import type { z } from 'zod';
import { tags, ttlMs } from './caches.ts';
import { type CalendarView, type calendarQuery, calendarView } from './contract/booking-api.ts';
import { tagsOfNights } from './night-tags.ts';
import type { Booking } from './runtime.ts';
import { houseOf } from './site.ts';

type Asked = z.output<typeof calendarQuery>;
type Prices = NonNullable<z.output<typeof listedPrices.output>>;
type Rate = Prices['rates'][number];

/** The cells of the date grid as JSON that has passed `calendarView`; kept as availability is, under the same tags. */
export async function calendarText(booking: Booking, tenantId: TenantId, asked: Asked): Promise<string> {
  const { availability: cache } = await booking.caches();
  const { propertyId, from, to, adults, children } = asked;
  const hash = payloadHash({ calendar: { from, to, adults, children } });
  return cache.getOrLoadText(cacheKey({ tenantId, parts: [propertyId, hash, ''] }), {
    ttlMs: ttlMs.availability,
    tags: [
      ...[tags.house(tenantId, propertyId), tags.site(tenantId)],
      ...tagsOfNights({ tenantId, propertyId }, { from, to }),
    ],
    load: async () => calendarView.parse(await load(booking, tenantId, asked)),
  });
}

async function load(booking: Booking, tenantId: TenantId, asked: Asked): Promise<CalendarView> {
  const { ask } = booking;
  const { house } = await houseOf(booking, tenantId, asked);
  const { propertyId, from, to } = asked;
  const [prices, { roomTypes }] = await Promise.all([
    ask(listedPrices, { tenantId, propertyId, from, until: to }),
    ask(freeRooms, { tenantId, propertyId, stay: { arrival: from, departure: to } }),
  ]);
  if (prices === null) throw coreErrors.NOT_FOUND({ entity: 'Property' });
  const free = new Set(
    roomTypes.flatMap(({ roomTypeId, nights }) =>
      nights
        .filter(night => night.available > 0 && !night.stopSell)
        .map(({ date }) => `${roomTypeId} ${date}`),
    ),
  );
  const today = localDateIn(parseZone(house.zone), new Date());
  const byDate = datesOf(prices.rates, asked);
  const days = [...eachDay(parseLocalDate(from), parseLocalDate(to))].map(date =>
    cellOf(date, date < today ? [] : (byDate.get(date) ?? []), { free, currency: prices.currency }),
  );
  return { propertyId, currency: prices.currency, today, days };
}

type Listed = { roomTypeId: string; day: Rate['days'][number]; gross: bigint };

/** What each date costs this party, on the plans and types that take it. */
function datesOf(rates: readonly Rate[], { adults, children }: Asked): Map<string, Listed[]> {
  const listed = rates
    .filter(({ parties }) => adults <= parties.adults && children <= parties.children)
    .flatMap(({ roomTypeId, parties, days }) =>
      days.flatMap(day => {
        const gross = day.gross?.[children * parties.adults + adults - 1];
        return gross === undefined ? [] : [{ roomTypeId, day, gross: BigInt(gross) }];
      }),
    );
  return Map.groupBy(listed, ({ day }) => day.date);
}

function cellOf(
  date: string,
  listed: readonly Listed[],
  { free, currency }: { free: ReadonlySet<string>; currency: string },
): CalendarView['days'][number] {
  const open = listed.filter(({ roomTypeId }) => free.has(`${roomTypeId} ${date}`));
  const rules = {
    minNights: Math.min(...listed.map(({ day }) => day.minNights), Number.MAX_SAFE_INTEGER),
    closedToArrival: listed.every(({ day }) => day.closedToArrival),
    closedToDeparture: listed.length > 0 && listed.every(({ day }) => day.closedToDeparture),
  };
  if (listed.length === 0)
    return { date, state: 'closed', from: null, ...rules, minNights: 1, closedToArrival: true };
  if (open.length === 0) return { date, state: 'sold_out', from: null, ...rules };
  const least = open.reduce((low, { gross }) => (gross < low ? gross : low), (open[0] as Listed).gross);
  return { date, state: 'open', from: { amount: least.toString(), currency: currency as 'AFN' }, ...rules };
}
