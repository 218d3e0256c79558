import type { Id } from '@ghasi/domain-primitives/ids';
import { addDays, type LocalDate } from '@ghasi/domain-primitives/local-date';
import type { evictionReasons } from './contract.ts';

/** The parts a listing is computed in, each by itself (PROJ-06). */
export const handlers = ['facts', 'availability', 'prices'] as const;
export type Handler = (typeof handlers)[number];

/** Life of a part. */
export const checkpointStatuses = ['PENDING', 'COMPLETED', 'FAILED'] as const;

/** How far a part is behind what was heard. */
export type Checkpoint = {
  readonly status: (typeof checkpointStatuses)[number];
  /** Counts what was heard. */
  readonly watermark: number;
  /** What was heard when the last computation began, and when the one that was saved last began. */
  readonly startedWatermark: number;
  readonly sourceWatermark: number;
  readonly computedAt: string | null;
};

/** What a reader is told of the age of what he reads (PROJ-05, X-154). */
export const freshnessStatuses = ['READY', 'COMPUTING', 'STALE', 'FAILED'] as const;
export type Freshness = {
  readonly status: (typeof freshnessStatuses)[number];
  /** Everything in it was so at that moment, or is newer; null while a part was never computed. */
  readonly asOf: string | null;
};

/** PROJ-04: says at read time what a listing is, from how far its parts are behind. */
export function applyWatermarkFreshness(parts: readonly Checkpoint[]): Freshness {
  const behind = parts.filter(part => part.watermark > part.sourceWatermark);
  const times = parts.map(({ computedAt }) => computedAt);
  const asOf = times.some(time => time === null) ? null : ((times as string[]).sort()[0] ?? null);
  if (parts.some(({ status }) => status === 'FAILED')) return { status: 'FAILED', asOf };
  if (behind.length === 0) return { status: parts.length === 0 ? 'STALE' : 'READY', asOf };
  const isRunning = behind.every(part => part.startedWatermark > part.sourceWatermark);
  return { status: isRunning ? 'COMPUTING' : 'STALE', asOf };
}

/** Nights ahead that are in the index. */
export const HORIZON_NIGHTS = 365;

/** Nights ahead that an event tells of, and about how many in all: one takes about 85 bytes, and 256 KB is the end. */
export const TOLD_NIGHTS = 120;
const MOST_TOLD = 2_000;

/** The nights of the index, from a day on. */
export function horizonFrom(today: LocalDate): { from: LocalDate; until: LocalDate } {
  return { from: today, until: addDays(today, HORIZON_NIGHTS) };
}

/** A text in some languages. */
export type Localised = readonly { readonly locale: 'en' | 'ps' | 'fa-AF'; readonly text: string }[];

/** What is known of a house when its listing is decided. */
export type HouseState = {
  readonly tenant:
    | { readonly slug: string | null; readonly status: 'active' | 'suspended' | 'closed' }
    | undefined;
  /** Its people want it to be found. */
  readonly wanted: boolean;
  readonly roomTypes: readonly ListedType[];
};

/** A room type with how many rooms it has and the nights it can be sold on. */
export type ListedType = {
  readonly roomTypeId: Id<'rty'>;
  readonly name: Localised;
  readonly maxGuests: number;
  readonly coverPhotoId: Id<'fil'> | null;
  /** Rooms that are or will be sold. */
  readonly rooms: number;
  /** In order; `from` null: no price. */
  readonly nights: readonly {
    readonly date: LocalDate;
    readonly free: number;
    readonly from: bigint | null;
  }[];
};

/** Why a house is not found. */
export type EvictionReason = (typeof evictionReasons)[number];

/** A house is found, with these of its types; or it is not, and why. */
export type ListingDecision =
  | { readonly kind: 'listed'; readonly slug: string; readonly roomTypes: readonly ListedType[] }
  | { readonly kind: 'gone'; readonly reason: EvictionReason };

/** Decides whether a house is found. Sold out is no reason to vanish: other nights are free. */
export function decideListing({ tenant, wanted, roomTypes }: HouseState): ListingDecision {
  const gone = (reason: EvictionReason) => ({ kind: 'gone', reason }) as const;
  if (tenant?.status === 'closed') return gone('tenant_closed');
  if (tenant?.status === 'suspended') return gone('tenant_suspended');
  if (!wanted) return gone('unpublished');
  if (tenant === undefined || tenant.slug === null || roomTypes.length === 0) return gone('incomplete');
  const withRooms = roomTypes.filter(({ rooms, nights }) => rooms > 0 && nights.length > 0);
  if (withRooms.length === 0) return gone('no_sellable_rooms');
  const priced = withRooms.filter(({ nights }) => nights.some(({ from }) => from !== null));
  if (priced.length === 0) return gone('incomplete');
  return { kind: 'listed', slug: tenant.slug, roomTypes: priced };
}

/** The nights of a type as they are told: one without a price cannot be sold, so none is free. */
export function toldNights(
  nights: ListedType['nights'],
  types: number,
): { date: LocalDate; free: number; from: bigint | null }[] {
  const most = Math.max(1, Math.min(TOLD_NIGHTS, Math.floor(MOST_TOLD / types)));
  return nights.slice(0, most).map(({ date, free, from }) => {
    const isForSale = free > 0 && from !== null;
    return { date, free: isForSale ? free : 0, from: isForSale ? from : null };
  });
}

/** Types whose rooms inventory-service has not counted yet: it may hear of a room after us. */
export function uncounted(
  roomTypes: readonly Pick<ListedType, 'roomTypeId' | 'rooms' | 'nights'>[],
): boolean {
  return roomTypes.some(({ rooms, nights }) => rooms > 0 && nights.length === 0);
}
