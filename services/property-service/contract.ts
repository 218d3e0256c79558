import { defineQuestion, type Question } from '@ghasi/backbone/question';
import { addDays, isLocalDate } from '@ghasi/domain-primitives/local-date';
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
import { idText, localDate, tenantIdText } from '@melmastoon/catalog/parts';
import { z } from 'zod';

/** What people sleep on. */
export const bedKinds = ['single', 'double', 'queen', 'king', 'bunk', 'sofa', 'floor_mattress'] as const;

/** Why a room is no room any more. */
export const roomArchiveReasons = ['closed', 'merged', 'converted', 'entered_by_mistake'] as const;

/** What sensors in a room measure, each in its canonical unit: °C, %, kWh, L. */
export const telemetryMetrics = ['temperature', 'humidity', 'energy', 'water'] as const;

/** What may stand open when a hotel day is to be closed (R2). */
export const openMatters = ['arrival_not_in', 'departure_due', 'shift_open'] as const;

/** What a day close makes of an open matter where the house rules let it. */
export const resolutions = ['no_show', 'extended', 'carried_over'] as const;

/** A reservation, booked room or shift, whatever its prefix. */
const reference = z.string().regex(/^[a-z]{3}_[0-7][0-9A-HJKMNP-TV-Z]{25}$/);

/** An IANA zone in its own spelling; a property has one, and nobody has a default (R3). */
export const zone = z.string().max(64).refine(isZone, 'is no IANA time zone');

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
    zone,
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

/**
 * A hotel day was closed and the next one began (R1, R2). Billing posts the night of `closedDate`, reservation makes
 * no-shows of what `resolved` names so. Said once per day of a house, however often the close is run.
 */
export const BusinessDateAdvanced = defineEvent({
  subject: 'melmastoon.property.business_date.advanced.v1',
  summary: 'the hotel day of a property was closed',
  retention: 'warm',
  payload: z
    .strictObject({
      propertyId: idText('pro'),
      closedDate: localDate,
      /** The hotel day from now on: the one after. */
      businessDate: localDate,
      /** Null: no person did it. */
      closedBy: idText('usr').nullable(),
      /** What stood open and what the house rules made of it. */
      resolved: z
        .array(z.strictObject({ matter: z.enum(openMatters), reference, as: z.enum(resolutions) }))
        .refine(
          isOncePer((one: { matter: string; reference: string }) => `${one.matter} ${one.reference}`),
          'resolves a matter twice',
        ),
    })
    .refine(
      ({ closedDate, businessDate }) => isLocalDate(closedDate) && addDays(closedDate, 1) === businessDate,
      'the day after the closed one is another',
    ),
  aggregateId: p => p.propertyId,
  idempotencyKey: p => `${p.propertyId}:day:${p.closedDate}`,
});

/** Every event of property-service. */
export const events = [
  PropertyCreated,
  RoomAdded,
  RoomArchived,
  RoomTypePublished,
  AmenityChanged,
  TelemetryBatchIngested,
  BusinessDateAdvanced,
] as const;

/** How a house works; others follow these rules in what they own. */
export const houseRules = z.strictObject({
  /** A guest gets a room only after somebody inspected it; else clean is enough (R14). */
  inspectedBeforeCheckIn: z.boolean(),
  /** From this hour on its own date a hotel day may be closed; after midnight it always may. */
  dayCloseFrom: wallTime,
  /** What day close does with arrivals that did not come, guests who should have left, and open shifts (R2). */
  arrivalsNotIn: z.enum(['block', 'no_show']),
  departuresDue: z.enum(['block', 'extend']),
  openShifts: z.enum(['block', 'carry_over']),
  /** Until when on the next day a no-show's room is kept; null: given up at once (R17). */
  noShowHeldUntil: wallTime.nullable(),
});
export type HouseRules = z.output<typeof houseRules>;

/** What other services may know of a property inside a request. */
export const propertyFacts = z.strictObject({
  propertyId: idText('pro'),
  name: localisedText(120),
  zone,
  currency,
  locales: z.array(locale).min(1),
  checkInFrom: wallTime,
  checkOutUntil: wallTime,
  /** The hotel day now: every posting carries it (R1). It may lag the calendar. */
  businessDate: localDate,
  houseRules,
  version,
});
export type PropertyFacts = z.output<typeof propertyFacts>;

/** Zone, currency, hours, rules and hotel day of a property at this moment. Null: the tenant has no such property. */
export const propertyOf = defineQuestion({
  name: 'property.property-of',
  input: z.strictObject({ tenantId: tenantIdText, propertyId: idText('pro') }),
  output: propertyFacts.nullable(),
});

/** What stands open of a hotel day: the shape of every question that day close asks. */
export const dayCheck = {
  input: z.strictObject({ tenantId: tenantIdText, propertyId: idText('pro'), businessDate: localDate }),
  output: z.strictObject({
    open: z.array(z.strictObject({ matter: z.enum(openMatters), reference })).max(2_000),
  }),
};
export type DayCheck = Question<typeof dayCheck.input, typeof dayCheck.output>;

/** Who has a room from a night on: the shape of every question that archiving a room asks. */
export const roomCheck = {
  input: z.strictObject({
    tenantId: tenantIdText,
    propertyId: idText('pro'),
    roomId: idText('rom'),
    closedFrom: localDate,
  }),
  output: z.strictObject({ reservationIds: z.array(idText('rsv')).max(2_000) }),
};
export type RoomCheck = Question<typeof roomCheck.input, typeof roomCheck.output>;

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
