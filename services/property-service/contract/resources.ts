import { defineQuestion } from '@ghasi/backbone/question';
import { isLocalDate } from '@ghasi/domain-primitives/local-date';
import { currency, inLanguages, isOncePer, locale, wallTime } from '@melmastoon/catalog/hotel-parts';
import { idText, instant, line, paragraphs, tenantIdText, version } from '@melmastoon/catalog/parts';
import { z } from 'zod';
import { bedKinds, houseRules, openMatters, resolutions, roomArchiveReasons, zone } from '../contract.ts';
import { amenitiesOf, amenityCodes } from './amenities.ts';

/** A hotel day of our time: a typing error of a century is refused. */
export const hotelDay = z.iso
  .date()
  .refine(
    text => isLocalDate(text) && text >= '2000-01-01' && text < '2200-01-01',
    'is no day of 2000 to 2199',
  );

const amenityList = (place: 'house' | 'room') =>
  z
    .array(z.enum(amenitiesOf(place)))
    .max(100)
    .refine(isOncePer(String), 'names an amenity twice');

/** What can be changed of a property; zone and currency are for good, money and nights were counted in them. */
const changeable = {
  name: inLanguages(line(120)),
  city: inLanguages(line(120)),
  position: z
    .strictObject({ latitude: z.number().min(-90).max(90), longitude: z.number().min(-180).max(180) })
    .nullable(),
  locales: z.array(locale).min(1).max(3).refine(isOncePer(String), 'names a language twice'),
  checkInFrom: wallTime,
  checkOutUntil: wallTime,
  houseRules,
};

/** A house to be opened. Rules that are left out are the usual ones; the first hotel day is today's date there. */
export const newProperty = z.strictObject({
  ...changeable,
  position: changeable.position.default(null),
  houseRules: houseRules.partial().default({}),
  country: z.string().regex(/^[A-Z]{2}$/),
  zone,
  currency,
  businessDate: hotelDay.optional(),
  amenities: amenityList('house').default([]),
});
export type NewProperty = z.output<typeof newProperty>;

/** A change of a property, based on a version; rules that are left out stay. */
export const propertyPatch = z
  .strictObject({
    version,
    ...z.strictObject(changeable).partial().shape,
    houseRules: houseRules.partial().optional(),
  })
  .refine(patch => Object.keys(patch).length > 1, 'nothing to change');
export type PropertyPatch = z.output<typeof propertyPatch>;

/** What a house offers from now on, all of it. */
export const amenityChange = z.strictObject({ version, amenities: amenityList('house') });

const codes = z.array(z.string());

/** A property as staff sees it. */
export const propertyView = z.strictObject({
  id: idText('pro'),
  ...changeable,
  country: z.string(),
  zone,
  currency,
  businessDate: z.iso.date(),
  amenities: codes,
  version,
  createdAt: instant,
});
export type PropertyView = z.output<typeof propertyView>;

/** What a type of room offers. */
export const roomTypeSpec = z
  .strictObject({
    name: inLanguages(line(120)),
    description: inLanguages(paragraphs(2_000)).nullable(),
    maxAdults: z.int().min(1).max(30),
    maxChildren: z.int().min(0).max(30),
    maxGuests: z.int().min(1).max(30),
    beds: z
      .array(z.strictObject({ kind: z.enum(bedKinds), quantity: z.int().min(1).max(50) }))
      .min(1)
      .max(20),
    areaSquareMetres: z.int().min(1).max(2_000).nullable(),
    smoking: z.boolean(),
    amenities: amenityList('room'),
    photoIds: z.array(idText('fil')).max(50).refine(isOncePer(String), 'has a photo twice'),
  })
  .refine(({ maxAdults, maxGuests }) => maxAdults <= maxGuests, 'takes more adults than guests');
export type RoomTypeSpec = z.output<typeof roomTypeSpec>;

/** A type of room to be drafted; `code` is how staff writes it, `FAM`. */
export const newRoomType = z.strictObject({
  code: z
    .string()
    .regex(/^[A-Z0-9](?:-?[A-Z0-9]){0,11}$/, 'A-Z, 0-9 and single hyphens')
    .max(12),
  spec: roomTypeSpec,
});
export type NewRoomType = z.output<typeof newRoomType>;

/** The draft as it shall be, based on a version. */
export const draftChange = z.strictObject({ version, spec: roomTypeSpec });

/** A type of room as staff sees it: the draft, and what is published of it. */
export const roomTypeView = z.strictObject({
  id: idText('rty'),
  propertyId: idText('pro'),
  code: z.string(),
  status: z.enum(['draft', 'published']),
  /** How often it was published. */
  specVersion: z.int().min(0),
  draft: roomTypeSpec,
  published: roomTypeSpec.nullable(),
  /** The draft says something else than what is published. */
  changed: z.boolean(),
  version,
});
export type RoomTypeView = z.output<typeof roomTypeView>;

/** A room to be added; sold from the present hotel day on unless it says otherwise. */
export const newRoom = z.strictObject({
  roomTypeId: idText('rty'),
  number: line(16),
  floor: line(16).nullable().default(null),
  accessible: z.boolean().default(false),
  sellableFrom: hotelDay.optional(),
});
export type NewRoom = z.output<typeof newRoom>;

/** The end of a room: `closedFrom` is the first night it is not sold any more. */
export const roomArchiving = z.strictObject({
  version,
  closedFrom: hotelDay,
  reason: z.enum(roomArchiveReasons),
});
export type RoomArchiving = z.output<typeof roomArchiving>;

/** Life of a room. */
export const roomStatuses = ['active', 'archived'] as const;

/** A room as staff sees it. */
export const roomView = z.strictObject({
  id: idText('rom'),
  propertyId: idText('pro'),
  roomTypeId: idText('rty'),
  number: z.string(),
  floor: z.string().nullable(),
  accessible: z.boolean(),
  sellableFrom: z.iso.date(),
  status: z.enum(roomStatuses),
  closedFrom: z.iso.date().nullable(),
  archiveReason: z.enum(roomArchiveReasons).nullable(),
  version,
});
export type RoomView = z.output<typeof roomView>;

/** One matter that day close settled. */
export const resolvedMatter = z.strictObject({
  matter: z.enum(openMatters),
  reference: z.string(),
  as: z.enum(resolutions),
});
export type ResolvedMatter = z.output<typeof resolvedMatter>;

/** A hotel day that is over. */
export const dayCloseView = z.strictObject({
  propertyId: idText('pro'),
  closedDate: z.iso.date(),
  businessDate: z.iso.date(),
  closedBy: idText('usr').nullable(),
  closedAt: instant,
  resolved: z.array(resolvedMatter),
});
export type DayCloseView = z.output<typeof dayCloseView>;

/** An amenity that can be named, with its names. */
export const amenityView = z.strictObject({
  code: z.enum(amenityCodes),
  of: z.enum(['house', 'room', 'both']),
  name: z.array(z.strictObject({ locale, text: z.string() })),
});

/** A house with what can be booked in it, as its booking site shows it. */
export const siteHouse = z.strictObject({
  propertyId: idText('pro'),
  name: propertyView.shape.name,
  city: propertyView.shape.city,
  country: z.string(),
  position: propertyView.shape.position,
  zone,
  currency,
  checkInFrom: wallTime,
  checkOutUntil: wallTime,
  amenities: codes,
  roomTypes: z.array(z.strictObject({ roomTypeId: idText('rty'), code: z.string(), spec: roomTypeSpec })),
});
export type SiteHouse = z.output<typeof siteHouse>;

/** Every house of a tenant (at most 50) with its published types of room, oldest first. */
export const housesOf = defineQuestion({
  name: 'property.houses-of',
  input: z.strictObject({ tenantId: tenantIdText }),
  output: z.strictObject({ houses: z.array(siteHouse) }),
});

/** How many rooms a tenant has, in all houses together: its size, as metrics name it. */
export const sizeOf = defineQuestion({
  name: 'property.size-of',
  input: z.strictObject({ tenantId: tenantIdText }),
  output: z.strictObject({ rooms: z.int().min(0) }),
});
