import { canonicalJson } from '@ghasi/domain-primitives/canonical-json';
import type { ULID } from '@ghasi/domain-primitives/uuid';
import { z } from 'zod';
import { aiProvenance } from './ai-provenance.ts';
import { keyText, MAX_KEY } from './key-text.ts';
import { retentionClasses } from './retention.ts';

/** Where an event's data may live: the name of a region, e.g. `me-central1`. Which ones there are, the installation says. */
export type DataResidency = string;

const REGION = /^[a-z][a-z0-9-]{1,31}$/;

/** True for what may be the name of a region. */
export function isRegion(value: unknown): value is DataResidency {
  return typeof value === 'string' && REGION.test(value);
}

/** Through which channel the change came; who made it is `actorId`. */
export const sources = ['api', 'ui', 'system', 'integration', 'worker'] as const;

/** One of the five channels. */
export type Source = (typeof sources)[number];

/** Cap on `metadata` as UTF-8 JSON (ENV-19). */
export const MAX_METADATA_BYTES = 4096;

/** 128 bits as ULID text. */
export const ulidText = z
  .string()
  .regex(/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/, 'not a ULID in upper case') as unknown as z.ZodType<ULID, string>;

/** What travels beside the payload and routes nothing; extra members are allowed, their size is not free. */
export const metadata = z
  .looseObject({
    retentionClass: z.enum(retentionClasses),
    dataResidency: z.string().regex(REGION, 'is no name of a region: lower case, digits and hyphens'),
    /** True when raised by the desktop's main process and replayed at sync. */
    fromOfflineReplay: z.boolean().optional(),
    aiProvenance: aiProvenance.optional(),
    /** `<tenantId>:<aggregateId>`; Pub/Sub allows 1,024 bytes. */
    orderingKey: keyText.max(MAX_KEY),
    /** The outbox row's id, same bits. */
    outboxId: ulidText,
    /** Version of the aggregate after the change, from 1. */
    aggregateVersion: z.int().min(1),
    source: z.enum(sources).optional(),
  })
  .superRefine((value, check) => {
    const wrong = whatIsTooMuch(value);
    if (wrong !== undefined) check.addIssue({ code: 'custom', message: wrong });
  });

/** The metadata of an envelope. */
export type EventMetadata = z.output<typeof metadata>;

function whatIsTooMuch(value: unknown): string | undefined {
  try {
    const bytes = new TextEncoder().encode(canonicalJson(value)).length;
    return bytes > MAX_METADATA_BYTES
      ? `${bytes} bytes of JSON, ${MAX_METADATA_BYTES} are allowed`
      : undefined;
  } catch (error) {
    return error instanceof Error ? error.message : 'no canonical JSON';
  }
}
