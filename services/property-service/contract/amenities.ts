/** One amenity: where it may be, and what people call it. */
export type Amenity = {
  readonly of: 'house' | 'room' | 'both';
  readonly en: string;
  readonly ps: string;
  readonly 'fa-AF': string;
};

/** Everything a house or a room may offer. Codes are forever: the search keeps them as facets. */
export const amenityCatalogue = {
  free_wifi: { of: 'both', en: 'Free Wi-Fi', ps: 'وړیا وای‌فای', 'fa-AF': 'وای‌فای رایگان' },
  generator: { of: 'house', en: 'Generator', ps: 'جنراتور', 'fa-AF': 'جنراتور' },
  solar_power: { of: 'house', en: 'Solar power', ps: 'لمریزه برېښنا', 'fa-AF': 'برق آفتابی' },
  prayer_room: { of: 'house', en: 'Prayer room', ps: 'د لمانځه خونه', 'fa-AF': 'نمازخانه' },
  parking: { of: 'house', en: 'Parking', ps: 'د موټرو تمځای', 'fa-AF': 'پارکینگ' },
  guarded_gate: { of: 'house', en: 'Guarded gate', ps: 'ساتل شوې دروازه', 'fa-AF': 'دروازهٔ محافظت‌شده' },
  restaurant: { of: 'house', en: 'Restaurant', ps: 'رستورانت', 'fa-AF': 'رستورانت' },
  breakfast: { of: 'house', en: 'Breakfast', ps: 'د سهار چای', 'fa-AF': 'چای صبح' },
  tea_house: { of: 'house', en: 'Tea house', ps: 'چای‌خانه', 'fa-AF': 'چای‌خانه' },
  garden: { of: 'house', en: 'Garden', ps: 'باغ', 'fa-AF': 'باغ' },
  laundry: { of: 'house', en: 'Laundry', ps: 'د جامو مینځل', 'fa-AF': 'کالاشویی' },
  airport_pickup: {
    of: 'house',
    en: 'Airport pick-up',
    ps: 'له هوايي ډګره راوړل',
    'fa-AF': 'انتقال از میدان هوایی',
  },
  family_hall: { of: 'house', en: 'Family hall', ps: 'د کورنیو تالار', 'fa-AF': 'تالار فامیلی' },
  meeting_room: { of: 'house', en: 'Meeting room', ps: 'د غونډو خونه', 'fa-AF': 'اتاق جلسه' },
  lift: { of: 'house', en: 'Lift', ps: 'لفټ', 'fa-AF': 'لفت' },
  reception_24h: {
    of: 'house',
    en: 'Reception day and night',
    ps: 'شپه او ورځ پذیرايي',
    'fa-AF': 'پذیرش شبانه‌روزی',
  },
  heating: { of: 'both', en: 'Heating', ps: 'مرکزګرمي', 'fa-AF': 'مرکزگرمی' },
  air_conditioning: { of: 'both', en: 'Air conditioning', ps: 'ایرکنډېشن', 'fa-AF': 'ایرکندیشن' },
  private_bathroom: { of: 'room', en: 'Private bathroom', ps: 'ځانګړی تشناب', 'fa-AF': 'تشناب جداگانه' },
  shared_bathroom: { of: 'room', en: 'Shared bathroom', ps: 'ګډ تشناب', 'fa-AF': 'تشناب مشترک' },
  hot_water: { of: 'room', en: 'Hot water', ps: 'تودې اوبه', 'fa-AF': 'آب گرم' },
  balcony: { of: 'room', en: 'Balcony', ps: 'برنډه', 'fa-AF': 'برنده' },
  mountain_view: { of: 'room', en: 'Mountain view', ps: 'د غره منظره', 'fa-AF': 'منظرهٔ کوه' },
  garden_view: { of: 'room', en: 'Garden view', ps: 'د باغ منظره', 'fa-AF': 'منظرهٔ باغ' },
  desk: { of: 'room', en: 'Desk', ps: 'د کار مېز', 'fa-AF': 'میز کار' },
  television: { of: 'room', en: 'Television', ps: 'تلویزیون', 'fa-AF': 'تلویزیون' },
  fridge: { of: 'room', en: 'Fridge', ps: 'یخچال', 'fa-AF': 'یخچال' },
  safe: { of: 'room', en: 'Safe', ps: 'سېف', 'fa-AF': 'سیف' },
  kettle: { of: 'room', en: 'Kettle', ps: 'د چای جوش', 'fa-AF': 'چای‌جوش' },
  prayer_mat: { of: 'room', en: 'Prayer mat', ps: 'جای‌نماز', 'fa-AF': 'جای‌نماز' },
  kitchenette: { of: 'room', en: 'Kitchenette', ps: 'کوچنی پخلنځی', 'fa-AF': 'آشپزخانهٔ کوچک' },
} as const satisfies Record<string, Amenity>;

export type AmenityCode = keyof typeof amenityCatalogue;

/** Every code. */
export const amenityCodes = Object.keys(amenityCatalogue) as [AmenityCode, ...AmenityCode[]];

/** The codes that fit a house or a room. */
export function amenitiesOf(place: 'house' | 'room'): [AmenityCode, ...AmenityCode[]] {
  return amenityCodes.filter(code => fits(amenityCatalogue[code], place)) as [AmenityCode, ...AmenityCode[]];
}

function fits({ of }: Amenity, place: 'house' | 'room'): boolean {
  return of === place || of === 'both';
}
