import type { Ctx } from '@ghasi/db/tenant-transaction';
import { PLATFORM_TENANT_ID, type TenantId } from '@ghasi/domain-primitives/ids';
import type { PendingEvent } from '@ghasi/event-envelope/define-event';
import { EntryAppended } from '../contract.ts';
import { type Deed, type Entry, type EntryContent, hashOfContent } from '../entry.ts';
import { dayOf, type Head, recordingTime } from '../model.ts';
import { insertEntries, lockChain, saveHead } from '../queries/chain.ts';

/** What was added to the chain, and what is told of it. */
export type Appended = { entries: readonly Entry[]; events: readonly PendingEvent[] };

/**
 * Adds deeds to the end of the tenant's chain. The row of the chain is locked first, so whoever appends at the same
 * time waits and links to what stands there then: one chain, no gap, whatever happens at once.
 */
export async function append(ctx: Ctx, deeds: readonly Deed[]): Promise<Appended> {
  return appendTo(ctx, await lockChain(ctx), deeds);
}

/** The same for who holds the chain's lock already. */
export function appendTo(ctx: Ctx, head: Head, deeds: readonly Deed[]): Appended {
  if (deeds.length === 0) return { entries: [], events: [] };
  const recordedAt = recordingTime(head, ctx.now);
  const made = linked(head, deeds, { tenantId: ctx.tenantId, recordedAt });
  const last = made.at(-1) as Entry;
  insertEntries(ctx, made);
  saveHead(ctx, {
    position: last.position,
    hash: last.entryHash,
    recordedAt,
    openDay: head.openDay ?? dayOf(recordedAt),
  });
  return { entries: made, events: isTold(ctx.tenantId) ? made.map(told) : [] };
}

/** Deeds as links: each holds the hash of the one before. */
function linked(
  head: Head,
  deeds: readonly Deed[],
  { tenantId, recordedAt }: { tenantId: TenantId; recordedAt: Date },
): Entry[] {
  let previousHash = head.hash;
  return deeds.map(({ occurredAt, ...deed }, index) => {
    const content: EntryContent = {
      version: 1,
      tenantId,
      position: head.position + index + 1,
      previousHash,
      ...deed,
      occurredAt: occurredAt.toISOString(),
      recordedAt: recordedAt.toISOString(),
    };
    const entryHash = hashOfContent(content);
    previousHash = entryHash;
    return { ...content, entryHash };
  });
}

function told({ entryId, position, action, about, actor, eventId, entryHash, previousHash }: Entry) {
  return EntryAppended.from(
    { entryId, position, action, about, actor, recordedEventId: eventId, entryHash, previousHash },
    { aggregateVersion: 1 },
  ) as PendingEvent;
}

/** What happens in the platform's own tenant is told only where the list of platform events has it. */
function isTold(tenantId: TenantId): boolean {
  return tenantId !== PLATFORM_TENANT_ID || EntryAppended.platform;
}
