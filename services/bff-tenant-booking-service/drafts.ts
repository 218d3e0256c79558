import {
  type Id,
  isId,
  isTenantId,
  parseId,
  parseTenantId,
  type TenantId,
} from '@ghasi/domain-primitives/ids';
import type { HotStore } from '@ghasi/hot/hot-store';
import { tenantKey } from '@ghasi/hot/tenant-key';
import { bookingDraft, type Draft } from './contract/booking-draft.ts';
import { DRAFT_GRACE_MS } from './model.ts';

/** TB-07, X-144: which draft ends when; the sweeper works it off. */
const EXPIRY_INDEX = 'booking_draft:expiry';

type Of = { tenantId: TenantId; draftId: Id<'bdr'> };

const keyOf = ({ tenantId, draftId }: Of) => tenantKey('booking_draft', tenantId, draftId);
const memberOf = ({ tenantId, draftId }: Of) => `${tenantId} ${draftId}`;

/** Keeps a draft until five minutes after its end, and notes when that is. */
export async function saveDraft(store: HotStore, draft: Draft, now: Date): Promise<void> {
  const endsAt = Date.parse(draft.expiresAt);
  // The index first: a draft that nobody will sweep is worse than a note about a draft that is not there.
  await store.index.add(EXPIRY_INDEX, memberOf(draft), endsAt);
  const ttlMs = Math.max(1, endsAt - now.getTime() + DRAFT_GRACE_MS);
  await store.set(keyOf(draft), JSON.stringify(draft), { ttlMs });
}

/** A draft of a tenant, whoever's it is; undefined when the store has none that fits. */
export async function findDraft(store: HotStore, of: Of): Promise<Draft | undefined> {
  const text = await store.get(keyOf(of));
  if (text === undefined) return undefined;
  const parsed = bookingDraft.safeParse(JSON.parse(text));
  return parsed.success && parsed.data.tenantId === of.tenantId ? parsed.data : undefined;
}

/** A draft of this very session; another's looks like none. */
export async function findOwnDraft(
  store: HotStore,
  { sessionId, ...of }: Of & { sessionId: Id<'tnt'> },
): Promise<Draft | undefined> {
  const draft = await findDraft(store, of);
  return draft?.sessionId === sessionId ? draft : undefined;
}

/** Forgets a draft and when it ends. */
export async function dropDraft(store: HotStore, of: Of): Promise<void> {
  await store.delete(keyOf(of));
  await store.index.remove(EXPIRY_INDEX, memberOf(of));
}

/** Drafts whose end has come, oldest first. */
export async function dueDrafts(store: HotStore, now: Date, most: number): Promise<Of[]> {
  const due = await store.index.dueBefore(EXPIRY_INDEX, now.getTime(), most);
  const found: Of[] = [];
  for (const { member } of due) {
    const [tenant = '', draft = ''] = member.split(' ');
    if (isTenantId(tenant) && isId('bdr', draft))
      found.push({ tenantId: parseTenantId(tenant), draftId: parseId('bdr', draft) });
    else await store.index.remove(EXPIRY_INDEX, member); // nobody of ours wrote it
  }
  return found;
}
