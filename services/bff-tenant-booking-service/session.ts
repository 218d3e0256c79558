import { minutes } from '@ghasi/domain-primitives/duration';
import type { Id, TenantId } from '@ghasi/domain-primitives/ids';
import type { HotStore } from '@ghasi/hot/hot-store';
import { tenantKey } from '@ghasi/hot/tenant-key';
import type { RequestFacts } from '@ghasi/http/principal';
import { currency, locale } from '@melmastoon/catalog/hotel-parts';
import { idText, instant, tenantIdText } from '@melmastoon/catalog/parts';
import { z } from 'zod';
import { deviceClasses } from './contract.ts';
import type { Booking } from './runtime.ts';
import { SESSION_MS } from './session-cookie.ts';

const campaign = z.string().max(64);

/** X-138 MarketingAttribution: which campaign brought the guest. */
export const marketingAttribution = z.strictObject({
  source: campaign,
  medium: campaign.nullable(),
  campaign: campaign.nullable(),
});

/** TB-16..TB-26: what the site remembers of a guest it does not know. */
export const sessionBlob = z.strictObject({
  schemaVersion: z.literal(1),
  sessionId: idText('tnt'),
  tenantId: tenantIdText,
  createdAt: instant,
  lastSeenAt: instant,
  localePreference: locale.nullable(),
  displayCurrency: currency.nullable(),
  marketingAttribution: marketingAttribution.nullable(),
  /** Phase 2: nobody has points yet. */
  loyaltyContext: z.null(),
  activeBookingDraftId: idText('bdr').nullable(),
  consentFlags: z.strictObject({ telemetry: z.boolean(), functional: z.boolean() }),
  fingerprintHash: z.string(),
  ipHash: z.string(),
  deviceClass: z.enum(deviceClasses),
  /** Bookings whose code and phone number the guest has shown, and until when that counts. */
  manages: z.array(z.strictObject({ reservationId: idText('rsv'), until: instant })).max(20),
});
export type Session = z.output<typeof sessionBlob>;

/** Showing code and phone number counts so long. */
export const MANAGE_MS = minutes(30);

type Of = { tenantId: TenantId; sessionId: Id<'tnt'> };
type Seen = Pick<RequestFacts, 'headers' | 'address'>;

const keyOf = ({ tenantId, sessionId }: Of) => tenantKey('tnt_session', tenantId, sessionId);

/** What is remembered of a session; one that the hot store has lost begins again (TB-59). */
export async function loadSession(
  { state, hash }: Pick<Booking, 'state' | 'hash'>,
  of: Of,
  { seen, now }: { seen: Seen; now: Date },
): Promise<Session> {
  const found = await findSession(state(), of);
  if (found !== undefined) return found;
  const agent = seen.headers['user-agent'] ?? '';
  return {
    schemaVersion: 1,
    ...{ sessionId: of.sessionId, tenantId: of.tenantId },
    ...{ createdAt: now.toISOString(), lastSeenAt: now.toISOString() },
    ...{ localePreference: null, displayCurrency: null, marketingAttribution: null, loyaltyContext: null },
    activeBookingDraftId: null,
    consentFlags: { telemetry: false, functional: true },
    fingerprintHash: hash('fingerprint', `${agent}\n${seen.headers['accept-language'] ?? ''}`),
    ipHash: hash('ip', seen.address),
    deviceClass: deviceClassOf(agent),
    manages: [],
  };
}

/** A session, or undefined when the store has none that fits. */
export async function findSession(store: HotStore, of: Of): Promise<Session | undefined> {
  const text = await store.get(keyOf(of));
  if (text === undefined) return undefined;
  const parsed = sessionBlob.safeParse(JSON.parse(text));
  return parsed.success ? parsed.data : undefined;
}

/** Keeps a session for 30 days from now. */
export async function saveSession(store: HotStore, session: Session, now: Date): Promise<void> {
  const value = JSON.stringify({ ...session, lastSeenAt: now.toISOString() });
  await store.set(keyOf(session), value, { ttlMs: SESSION_MS });
}

/** TB-26, from what the browser says of itself; a guess, never a right. */
export function deviceClassOf(agent: string): Session['deviceClass'] {
  if (/^Melmastoon-iOS\//.test(agent)) return 'mobile-app-ios';
  if (/^Melmastoon-Android\//.test(agent)) return 'mobile-app-android';
  return /Mobi|Android|iPhone|iPad/.test(agent) ? 'browser-mobile' : 'browser-desktop';
}
