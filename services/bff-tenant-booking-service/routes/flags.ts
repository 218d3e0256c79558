import { type AnyRoute, defineRoute, operator } from '@ghasi/http/route';
import { flags, setFlags } from '../flags.ts';
import type { Booking } from '../runtime.ts';

const auth = operator(['platform_admin']);
const path = '/api/v1/platform/booking-flags';

/** TB-13: what the platform turns on and off on all booking sites; each process sees it within 30 s. */
export function flagRoutes(booking: Booking): readonly AnyRoute[] {
  return [
    defineRoute({
      method: 'GET',
      path,
      summary: 'The flags of the booking sites, as this process knows them',
      auth,
      transaction: 'none',
      returns: { 200: flags },
      handler: async () => ({ status: 200, body: await booking.flags() }),
    }),
    defineRoute({
      method: 'PUT',
      path,
      summary: 'Set the flags of all booking sites',
      auth,
      transaction: 'late',
      body: flags,
      returns: { 200: flags },
      async handler(ctx, { body }) {
        await setFlags(booking.state(), body);
        return ctx.commit(async () => ({ status: 200, body }));
      },
    }),
  ];
}
