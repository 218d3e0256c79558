import { createHmac } from 'node:crypto';
import type { Ask } from '@ghasi/backbone/question';
import { minutes } from '@ghasi/domain-primitives/duration';
import type { HotStore } from '@ghasi/hot/hot-store';
import { type ArrivalTickets, arrivalTickets } from './arrival-ticket.ts';
import { type BookingHot, type Caches, closeCaches, openCaches } from './caches.ts';
import { defaultFlags, type Flags, FlagsPoll } from './flags.ts';
import { type SessionCookies, sessionCookies } from './session-cookie.ts';

/** What an installation decides. */
export type BookingParts = {
  readonly ask: Ask;
  readonly secret: string;
  /** How long a guest has to pay, in ms; default 10 minutes. */
  readonly holdMs?: number;
  /** Keys that the consumer site signs handoffs with, by id; default one derived from the secret, `h1`. */
  readonly handoffKeys?: ReadonlyMap<string, string>;
  readonly flags?: Partial<Flags>;
};

/** What routes, reactions and jobs of this service share. */
export type Booking = {
  readonly ask: Ask;
  readonly holdMs: number;
  readonly cookies: SessionCookies;
  readonly handoffKeys: ReadonlyMap<string, string>;
  readonly tickets: ArrivalTickets;
  /** A keyed hash: what a person can be recognised by is never kept as it is (TB-25, TB-58). */
  hash(kind: 'ip' | 'fingerprint' | 'email' | 'phone', text: string): string;
  /** Gives it the hot tiers; services are made before those are open. */
  use(hot: BookingHot): void;
  state(): HotStore;
  caches(): Promise<Caches>;
  flags(): Promise<Flags>;
  close(): Promise<void>;
};

/** The key with which handoffs are signed unless an installation has others. */
export function handoffKey(secret: string): string {
  return derive(secret, 'handoff');
}

/** Makes the shared parts of the service; nothing is opened until it is used. */
export function createBooking({ ask, secret, holdMs = minutes(10), ...more }: BookingParts): Booking {
  const piiKey = derive(secret, 'pii');
  let hot: BookingHot | undefined;
  let caches: Promise<Caches> | undefined;
  let poll: FlagsPoll | undefined;
  const tiers = () => {
    if (hot === undefined)
      throw new Error('bff-tenant-booking-service was given no hot store: call use() first');
    return hot;
  };
  return {
    ask,
    holdMs,
    cookies: sessionCookies(derive(secret, 'session')),
    handoffKeys: more.handoffKeys ?? new Map([['h1', handoffKey(secret)]]),
    tickets: arrivalTickets(derive(secret, 'arrival')),
    hash: (kind, text) => createHmac('sha256', piiKey).update(`${kind}\n${text}`).digest('hex'),
    use(given) {
      hot = given;
      poll = new FlagsPoll(given.state, { ...defaultFlags, ...more.flags });
    },
    state: () => tiers().state,
    async caches() {
      caches ??= openCaches(tiers()).catch(error => {
        caches = undefined; // the store may be back when somebody asks next
        throw error;
      });
      return caches;
    },
    async flags() {
      tiers();
      return (poll as FlagsPoll).read();
    },
    async close() {
      const open = caches;
      caches = undefined;
      if (open !== undefined) await closeCaches(await open);
    },
  };
}

function derive(secret: string, purpose: string): string {
  return createHmac('sha256', secret).update(`bff-tenant-booking:${purpose}`).digest('base64url');
}
