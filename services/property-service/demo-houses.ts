import { idFromUuid, parseTenantId } from '@ghasi/domain-primitives/ids';
import type { AmenityCode } from './contract/amenities.ts';
import type { RoomTypeSpec } from './contract/resources.ts';
import type { SeedHouse, SeedRoomType } from './demo.ts';

/** The numbering of the demo: a group has 0x100, 0x200 …; its house is +0x10, its room types +0x20 …, rooms +0x40 …. */
const demoUuid = (n: number) => `0193de70-0000-7000-8000-${n.toString(16).padStart(12, '0')}`;

type Beds = RoomTypeSpec['beds'];
type Names = readonly [en: string, ps: string, dari: string];
type Kind = {
  code: string;
  name: Names;
  says: Names;
  adults: number;
  children: number;
  beds: Beds;
  area: number;
  amenities: AmenityCode[];
  /** What is on the doors; the first figures are the floor. */
  doors: readonly string[];
  accessible?: readonly string[];
};

const inAll = ([en, ps, dari]: Names) => [
  { locale: 'en' as const, text: en },
  { locale: 'ps' as const, text: ps },
  { locale: 'fa-AF' as const, text: dari },
];

const bed = (kind: Beds[number]['kind'], quantity = 1) => ({ kind, quantity });
const plain: AmenityCode[] = ['free_wifi', 'heating', 'private_bathroom', 'hot_water', 'prayer_mat'];

const single: Omit<Kind, 'doors'> = {
  code: 'SGL',
  name: ['Single room', 'یوکسیزه خونه', 'اتاق یک‌نفره'],
  says: [
    'A quiet room with one bed and a desk.',
    'آرامه خونه له یوه کټ او د کار له مېز سره.',
    'اتاق آرام با یک بستر و میز کار.',
  ],
  adults: 1,
  children: 0,
  beds: [bed('single')],
  area: 14,
  amenities: [...plain, 'desk'],
};
const double: Omit<Kind, 'doors'> = {
  code: 'DBL',
  name: ['Double room', 'دوه‌کسیزه خونه', 'اتاق دونفره'],
  says: [
    'One wide bed, a table by the window and tea on request.',
    'یو پراخ کټ، د کړکۍ تر څنګ مېز او د غوښتنې پر وخت چای.',
    'یک بستر کلان، میز کنار کلکین و چای به درخواست.',
  ],
  adults: 2,
  children: 1,
  beds: [bed('double')],
  area: 20,
  amenities: [...plain, 'television', 'kettle'],
};
const twin: Omit<Kind, 'doors'> = {
  code: 'TWN',
  name: ['Twin room', 'خونه له دوو کټونو سره', 'اتاق با دو بستر'],
  says: [
    'Two beds for colleagues and friends on the road.',
    'دوه کټونه د همکارانو او د لارې ملګرو لپاره.',
    'دو بستر برای همکاران و دوستان در سفر.',
  ],
  adults: 2,
  children: 0,
  beds: [bed('single', 2)],
  area: 20,
  amenities: [...plain, 'desk', 'kettle'],
};
const family: Omit<Kind, 'doors'> = {
  code: 'FAM',
  name: ['Family room', 'د کورنۍ خونه', 'اتاق فامیلی'],
  says: [
    'A large carpeted room with a double bed and mattresses for the children.',
    'لویه خونه له غالیو سره، یو دوه‌کسیزه کټ او د ماشومانو لپاره توشکونه.',
    'اتاق کلان با قالین، یک بستر دونفره و توشک برای اطفال.',
  ],
  adults: 3,
  children: 3,
  beds: [bed('double'), bed('floor_mattress', 3)],
  area: 32,
  amenities: [...plain, 'television', 'fridge', 'kettle'],
};
const suite: Omit<Kind, 'doors'> = {
  code: 'STE',
  name: ['Suite', 'سویټ', 'سویت'],
  says: [
    'Two rooms, a sitting corner and a balcony above the trees.',
    'دوه خونې، د ناستې ځای او د ونو له پاسه برنډه.',
    'دو اتاق، جای نشستن و برندهٔ بالای درختان.',
  ],
  adults: 3,
  children: 2,
  beds: [bed('king'), bed('sofa')],
  area: 46,
  amenities: [...plain, 'television', 'fridge', 'kettle', 'safe', 'balcony', 'desk'],
};

function roomTypes(group: number, kinds: readonly Kind[]): SeedRoomType[] {
  let room = group + 0x40;
  return kinds.map((kind, n) => ({
    id: idFromUuid('rty', demoUuid(group + 0x20 + n)),
    code: kind.code,
    spec: {
      name: inAll(kind.name),
      description: inAll(kind.says),
      maxAdults: kind.adults,
      maxChildren: kind.children,
      maxGuests: kind.adults + kind.children,
      beds: kind.beds,
      areaSquareMetres: kind.area,
      smoking: false,
      amenities: kind.amenities,
      photoIds: [],
    },
    rooms: kind.doors.map(number => ({
      id: idFromUuid('rom', demoUuid(room++)),
      number,
      floor: number.slice(0, -2),
      accessible: kind.accessible?.includes(number) ?? false,
    })),
  }));
}

const identity = (group: number) => ({
  tenantId: parseTenantId(demoUuid(group)),
  id: idFromUuid('pro', demoUuid(group + 0x10)),
});

/** The three houses of the demo. All of them are invented; 24, 18 and 12 rooms. */
export const demoHouses: readonly SeedHouse[] = [
  {
    ...identity(0x100),
    facts: {
      name: inAll(['Bala Hissar Guest House', 'د بالاحصار مېلمستون', 'مهمان‌خانهٔ بالاحصار']),
      city: inAll(['Kabul', 'کابل', 'کابل']),
      country: 'AF',
      position: { latitude: 34.5089, longitude: 69.1925 },
      zone: 'Asia/Kabul',
      currency: 'AFN',
      locales: ['fa-AF', 'ps', 'en'],
      checkInFrom: '14:00',
      checkOutUntil: '12:00',
      houseRules: { inspectedBeforeCheckIn: true },
      amenities: [
        'free_wifi',
        'generator',
        'prayer_room',
        'restaurant',
        'breakfast',
        'guarded_gate',
        'parking',
      ],
    },
    roomTypes: roomTypes(0x100, [
      { ...single, doors: ['101', '102', '103', '201', '202', '203'] },
      { ...double, doors: ['104', '105', '106', '204', '205', '206', '301', '302'], accessible: ['104'] },
      { ...twin, doors: ['107', '207', '303', '304'] },
      { ...family, doors: ['108', '208', '305', '306'], accessible: ['108'] },
      { ...suite, doors: ['401', '402'] },
    ]),
  },
  {
    ...identity(0x200),
    facts: {
      name: inAll(['Gazargah Garden Hotel', 'د ګازرګاه باغ هوټل', 'هوتل باغ گازرگاه']),
      city: inAll(['Herat', 'هرات', 'هرات']),
      country: 'AF',
      position: { latitude: 34.3726, longitude: 62.2412 },
      zone: 'Asia/Kabul',
      currency: 'USD',
      locales: ['en', 'fa-AF'],
      checkInFrom: '13:00',
      checkOutUntil: '11:00',
      houseRules: { noShowHeldUntil: '10:00' },
      amenities: [
        'free_wifi',
        'garden',
        'tea_house',
        'solar_power',
        'prayer_room',
        'airport_pickup',
        'laundry',
      ],
    },
    roomTypes: roomTypes(0x200, [
      { ...double, doors: ['101', '102', '103', '104', '201', '202', '203', '204'], accessible: ['101'] },
      { ...twin, doors: ['105', '106', '205', '206'] },
      { ...family, doors: ['107', '108', '207', '208'] },
      { ...suite, doors: ['301', '302'] },
    ]),
  },
  {
    ...identity(0x300),
    facts: {
      name: inAll(['Silk Valley Lodge', 'د ورېښمو دره مېلمستون', 'اقامتگاه درهٔ ابریشم']),
      city: inAll(['Bamyan', 'بامیان', 'بامیان']),
      country: 'AF',
      position: { latitude: 34.8167, longitude: 67.8167 },
      zone: 'Asia/Kabul',
      currency: 'USD',
      locales: ['fa-AF', 'en'],
      checkInFrom: '15:00',
      checkOutUntil: '10:30',
      houseRules: { arrivalsNotIn: 'block', openShifts: 'carry_over' },
      amenities: ['free_wifi', 'solar_power', 'breakfast', 'garden', 'parking', 'family_hall'],
    },
    roomTypes: roomTypes(0x300, [
      {
        ...double,
        doors: ['101', '102', '103', '104', '201', '202'],
        amenities: [...double.amenities, 'mountain_view'],
      },
      { ...twin, doors: ['105', '106'] },
      { ...family, doors: ['107', '203', '204', '205'], amenities: [...family.amenities, 'mountain_view'] },
    ]),
  },
];
