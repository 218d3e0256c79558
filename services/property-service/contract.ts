import { parseZone } from '@ghasi/domain-primitives/zone';
import { defineEvent } from '@melmastoon/catalog/define-event';
import {
  code,
  count,
  currency,
  isOncePer,
  locale,
  localisedText,
  sha256,
  version,
  wallTime,
} from '@melmastoon/catalog/hotel-parts';
import { idText, localDate } from '@melmastoon/catalog/parts';
import { z } from 'zod';

/** What people sleep on. */
export const bedKinds = ['single', 'double', 'queen', 'king', 'bunk', 'sofa', 'floor_mattress'] as const;

/** Why a room is no room any more. */
export const roomArchiveReasons = ['closed', 'merged', 'converted', 'entered_by_mistake'] as const;

/** What sensors in a room measure, each in its canonical unit: °C, %, kWh, L. */
export const telemetryMetrics = ['temperature', 'humidity', 'energy', 'water'] as const;

/** Codes of the amenity catalogue, none twice. */
const amenityCodes = z.array(code).refine(isOncePer(String), 'names an amenity twice');

/** A house joined the tenant; everybody who counts nights, money or hours starts from its zone and currency. */
export const PropertyCreated = defineEvent({
  subject: 'melmastoon.property.property.created.v1',
  summary: 'a property was registered under a tenant',
  retention: 'warm',
  payload: z.strictObject({
    propertyId: idText('pro'),
    name: localisedText(120),
    /** ISO 3166-1 alpha-2. */
    country: z.string().regex(/^[A-Z]{2}$/),
    city: localisedText(120),
    /** In degrees; null until somebody has put it on the map. */
    position: z
      .strictObject({ latitude: z.number().min(-90).max(90), longitude: z.number().min(-180).max(180) })
      .nullable(),
    zone: z.string().max(64).refine(isZone, 'is no IANA time zone'),
    currency,
    locales: z.array(locale).min(1).refine(isOncePer(String), 'names a language twice'),
    checkInFrom: wallTime,
    checkOutUntil: wallTime,
    /** The hotel day it opens with (R1). */
    businessDate: localDate,
    amenities: amenityCodes,
  }),
  aggregateId: p => p.propertyId,
  idempotencyKey: p => `${p.propertyId}:created`,
});

/** One more room of a type can be sold from a night on. */
export const RoomAdded = defineEvent({
  subject: 'melmastoon.property.room.added.v1',
  summary: 'a sellable room joined a property',
  retention: 'warm',
  payload: z.strictObject({
    roomId: idText('rom'),
    propertyId: idText('pro'),
    roomTypeId: idText('rty'),
    /** What is on the door. */
    number: z.string().min(1).max(16),
    floor: z.string().min(1).max(16).nullable(),
    accessible: z.boolean(),
    sellableFrom: localDate,
  }),
  aggregateId: p => p.roomId,
  idempotencyKey: p => `${p.roomId}:added`,
});

/** One room of a type less from a night on; for good, a room that comes back is a new one. */
export const RoomArchived = defineEvent({
  subject: 'melmastoon.property.room.archived.v1',
  summary: 'a room was retired from inventory',
  retention: 'warm',
  payload: z.strictObject({
    roomId: idText('rom'),
    propertyId: idText('pro'),
    roomTypeId: idText('rty'),
    number: z.string().min(1).max(16),
    /** The first night it is not sold any more. */
    closedFrom: localDate,
    reason: z.enum(roomArchiveReasons),
  }),
  aggregateId: p => p.roomId,
  idempotencyKey: p => `${p.roomId}:archived`,
});

/** What a type of room offers, complete; replaces the version before. */
export const RoomTypePublished = defineEvent({
  subject: 'melmastoon.property.room_type.published.v1',
  summary: 'a room-type spec was finalised',
  retention: 'warm',
  payload: z
    .strictObject({
      roomTypeId: idText('rty'),
      specVersion: version,
      propertyId: idText('pro'),
      name: localisedText(120),
      description: localisedText(2_000).nullable(),
      maxAdults: z.int().min(1).max(30),
      maxChildren: z.int().min(0).max(30),
      /** Adults and children together. */
      maxGuests: z.int().min(1).max(30),
      beds: z.array(z.strictObject({ kind: z.enum(bedKinds), quantity: count.min(1) })).min(1),
      areaSquareMetres: z.int().min(1).max(2_000).nullable(),
      smoking: z.boolean(),
      amenities: amenityCodes,
      /** The first one is the cover. */
      photoIds: z.array(idText('fil')),
    })
    .refine(({ maxAdults, maxGuests }) => maxAdults <= maxGuests, 'takes more adults than guests'),
  aggregateId: p => p.roomTypeId,
  idempotencyKey: p => `${p.roomTypeId}:published:${p.specVersion}`,
});

/** What a house, or one type of its rooms, offers now and what that changes; feeds the facets of the search. */
export const AmenityChanged = defineEvent({
  subject: 'melmastoon.property.amenity.changed.v1',
  summary: 'the amenity list of a property changed',
  retention: 'warm',
  payload: z
    .strictObject({
      propertyId: idText('pro'),
      /** Null: the house as a whole. */
      roomTypeId: idText('rty').nullable(),
      amenities: amenityCodes,
      added: amenityCodes,
      removed: amenityCodes,
    })
    .refine(isRealChange, 'added and removed do not lead to the list'),
  aggregateId: p => p.propertyId,
  idempotencyKey: (p, { aggregateVersion }) => `${p.propertyId}:amenities:${aggregateVersion}`,
});

/** Measurements of a room arrived: what was computed from an older watermark is stale (PROJ-02). */
export const TelemetryBatchIngested = defineEvent({
  subject: 'melmastoon.property.telemetry_batch.ingested.v1',
  summary: 'a telemetry batch advanced the watermark of a room',
  retention: 'warm',
  payload: z.strictObject({
    // Its own aggregate, not the room: the watermark counts batches, the room's version counts changes of the room.
    telemetryBatchId: idText('tlb'),
    propertyId: idText('pro'),
    roomId: idText('rom'),
    /** One more than after the batch before; orders the batches of a room. */
    watermark: version,
    samples: z.strictObject({ added: count, changed: count, deleted: count }),
    metrics: z.array(z.enum(telemetryMetrics)).min(1).refine(isOncePer(String), 'names a metric twice'),
    /** Hotel days that must be computed anew. */
    dates: z.array(localDate).min(1).refine(isOncePer(String), 'names a day twice'),
    payloadHash: sha256,
  }),
  aggregateId: p => p.telemetryBatchId,
  idempotencyKey: p => `${p.roomId}:telemetry:${p.watermark}`,
});

/** Every event of property-service. */
export const events = [
  PropertyCreated,
  RoomAdded,
  RoomArchived,
  RoomTypePublished,
  AmenityChanged,
  TelemetryBatchIngested,
] as const;

type AmenityChange = { amenities: string[]; added: string[]; removed: string[] };

function isRealChange({ amenities, added, removed }: AmenityChange): boolean {
  const present = added.every(one => amenities.includes(one));
  const gone = removed.every(one => !amenities.includes(one));
  return added.length + removed.length > 0 && present && gone;
}

function isZone(text: string): boolean {
  try {
    parseZone(text);
    return true;
  } catch {
    return false;
  }
}
