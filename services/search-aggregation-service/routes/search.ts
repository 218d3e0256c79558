import { type AnyRoute, defineRoute, open } from '@ghasi/http/route';
import { z } from 'zod';
import { search } from '../answers.ts';
import {
  listingOrders,
  MOST_PAGES,
  MOST_PER_PAGE,
  searchAnswer,
  searchRequest,
} from '../contract/questions.ts';

const whole = (least: number, most: number) => z.coerce.number().int().min(least).max(most);
const { city, text, country, arrival, departure, board, currency } = searchRequest.shape;

/** What `GET /search` takes; the rules about what goes together are those of the question. */
const query = z.strictObject({
  ...{ city, text, country, arrival, departure, board, currency },
  /** Adults. */
  guests: whole(1, 30).optional(),
  children: whole(0, 30).optional(),
  rooms: whole(1, 20).optional(),
  /** Codes with commas between them. */
  amenities: z
    .string()
    .max(600)
    .regex(/^[a-z0-9_]+(,[a-z0-9_]+)*$/)
    .optional(),
  mostTotal: whole(0, Number.MAX_SAFE_INTEGER).optional(),
  latitude: z.coerce.number().min(-90).max(90).optional(),
  longitude: z.coerce.number().min(-180).max(180).optional(),
  order: z.enum(listingOrders).optional(),
  page: whole(1, MOST_PAGES).optional(),
  perPage: whole(1, MOST_PER_PAGE).optional(),
});

const find = defineRoute({
  method: 'GET',
  path: '/api/v1/search',
  summary: 'Houses of all hotels: by place, name, nights, guests and price',
  auth: open(),
  query: query.transform(questionOf).pipe(searchRequest),
  returns: { 200: searchAnswer },
  transaction: 'none',
  rateLimit: { limit: 240, windowMs: 60_000, per: 'address' }, // a person types; safety-36
  handler: async (ctx, { query: asked }) => ({ status: 200, body: await search(ctx.db, asked) }),
});

/** Without an account: everybody may look. */
export const searchRoutes: readonly AnyRoute[] = [find];

/** What is missing is left to the question's defaults; half a place is none and is refused there. */
function questionOf(asked: z.output<typeof query>): z.input<typeof searchRequest> {
  const { guests, amenities, latitude, longitude, ...rest } = asked;
  const near = latitude === undefined && longitude === undefined ? undefined : { latitude, longitude };
  return {
    ...rest,
    ...(guests === undefined ? {} : { adults: guests }),
    ...(amenities === undefined ? {} : { amenities: amenities.split(',') }),
    ...(near === undefined ? {} : { near: near as { latitude: number; longitude: number } }),
  };
}
