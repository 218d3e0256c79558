import type { Ask } from '@ghasi/backbone/question';
import { seconds } from '@ghasi/domain-primitives/duration';
import type { Authenticate, ResolveTenant } from '@ghasi/http/principal';
import type { BookingHot } from '@melmastoon/bff-tenant-booking-service/caches';
import { guestAuthenticator } from '@melmastoon/bff-tenant-booking-service/guest';
import { cachedTenants } from '@melmastoon/bff-tenant-booking-service/resolve-tenant';
import { type Booking, createBooking } from '@melmastoon/bff-tenant-booking-service/runtime';

/** What the booking sites need from the process they run in. */
export type BookingDoor = {
  /** Shared by the service's routes, reactions and jobs. */
  readonly booking: Booking;
  /** Which tenant a slug or host belongs to, remembered for an hour (TB-09). */
  readonly resolveTenant: ResolveTenant;
  readonly guest: Authenticate['guest'];
  /** Gives it the hot tiers once they are open. */
  use(hot: BookingHot): void;
  close(): Promise<void>;
};

/** Makes the door of the booking sites; services are made from it before the hot store is open. */
export function bookingDoor(of: { ask: Ask; secret: string; holdSeconds?: number }): BookingDoor {
  const { ask, secret, holdSeconds } = of;
  const booking = createBooking({ ask, secret, ...(holdSeconds ? { holdMs: seconds(holdSeconds) } : {}) });
  const resolveTenant = cachedTenants(booking);
  return {
    ...{ booking, resolveTenant, guest: guestAuthenticator(booking, resolveTenant) },
    use: booking.use,
    close: booking.close,
  };
}
