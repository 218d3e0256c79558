import { addDays, type LocalDate } from '@ghasi/domain-primitives/local-date';

/** What can be heard of a booking; of one version, in this order. */
export const sampleKinds = [
  'confirmed',
  'repriced',
  'dates_changed',
  'checked_in',
  'checked_out',
  'no_show',
  'cancelled',
] as const;
export type SampleKind = (typeof sampleKinds)[number];

/** Where a booking can be once it was confirmed. */
export const bookingStatuses = [
  'confirmed',
  'confirmed_cash_pending',
  'checked_in',
  'checked_out',
  'checked_out_balance_pending',
  'no_show',
  'cancelled',
] as const;
export type BookingStatus = (typeof bookingStatuses)[number];

/** The frozen price of one night of one booked room, in minor units as text: JSON has no bigint. */
export type PricedNight = {
  readonly bookedRoomId: string;
  readonly date: LocalDate;
  readonly net: string;
  readonly gross: string;
};

/** What each kind of sample carries. Ids are bare uuids; nothing says who the guest is. */
export type SampleData = {
  confirmed: {
    readonly status: 'confirmed' | 'confirmed_cash_pending';
    readonly channel: string;
    readonly rail: string;
    readonly currency: string;
    /** The room type of each booked room. */
    readonly roomTypes: Readonly<Record<string, string>>;
    readonly nights: readonly PricedNight[];
  };
  repriced: { readonly nights: readonly PricedNight[] };
  dates_changed: { readonly reason: string; readonly arrival: LocalDate; readonly departure: LocalDate };
  checked_in: Record<string, never>;
  checked_out: { readonly status: 'checked_out' | 'checked_out_balance_pending' };
  no_show: Record<string, never>;
  cancelled: Record<string, never>;
};

/** One thing that happened to a booking. `version` 0 is demo data. */
export type Sample = {
  [K in SampleKind]: {
    readonly version: number;
    readonly kind: K;
    readonly at: Date;
    /** Where the event names the hotel day itself. */
    readonly businessDate: LocalDate | null;
    readonly data: SampleData[K];
  };
}[SampleKind];

/** A night on the books. */
export type Night = {
  readonly bookedRoomId: string;
  readonly roomTypeId: string;
  readonly currency: string;
  readonly date: LocalDate;
  readonly net: bigint;
  readonly gross: bigint;
};

/** A change of what is on the books: `rooms` is 1, -1, or 0 for another price. */
export type NightChange = Night & {
  readonly step: number;
  readonly rooms: -1 | 0 | 1;
  readonly at: Date;
  readonly businessDate: LocalDate | null;
};

/** A booking as its samples tell it. */
export type Booking = {
  readonly status: BookingStatus;
  readonly channel: string;
  readonly rail: string;
  readonly currency: string;
  readonly arrival: LocalDate;
  readonly departure: LocalDate;
  readonly rooms: number;
  readonly roomNights: number;
  readonly net: bigint;
  readonly gross: bigint;
  readonly bookedAt: Date;
  /** Null unless it is cancelled now. */
  readonly cancelledAt: Date | null;
  /** The hotel day that closed without the guest; null unless it is a no-show now. */
  readonly noShowOn: LocalDate | null;
  readonly version: number;
  /** On the books now: none of a booking that was cancelled or did not come. */
  readonly nights: readonly Night[];
  readonly changes: readonly NightChange[];
};

/**
 * Tells a booking from its samples, in whatever order they were heard; undefined until it was confirmed. It is on the
 * books from its confirmation until it is cancelled or does not come, and again if that is undone.
 */
export function foldBooking(samples: readonly Sample[]): Booking | undefined {
  const steps = inOrder(samples);
  const first = steps.findIndex(({ kind }) => kind === 'confirmed');
  if (first < 0) return undefined;
  let told = begin(steps[first] as Extract<Sample, { kind: 'confirmed' }>, first);
  for (const [step, sample] of steps.entries()) if (step > first) told = hear(told, sample, step);
  const { agreed, isOnBooks, history: _, ...booking } = told;
  const dates = agreed.map(({ date }) => date).sort();
  return {
    ...booking,
    arrival: dates[0] as LocalDate,
    departure: addDays(dates.at(-1) as LocalDate, 1),
    rooms: new Set(agreed.map(({ bookedRoomId }) => bookedRoomId)).size,
    roomNights: agreed.length,
    net: agreed.reduce((sum, { net }) => sum + net, 0n),
    gross: agreed.reduce((sum, { gross }) => sum + gross, 0n),
    nights: isOnBooks ? agreed : [],
  };
}

type Told = Omit<Booking, 'arrival' | 'departure' | 'rooms' | 'roomNights' | 'net' | 'gross' | 'nights'> & {
  /** What guest and house agreed on last, whether or not it is on the books. */
  agreed: readonly Night[];
  isOnBooks: boolean;
  /** What was agreed on before, latest first. */
  history: readonly (readonly Night[])[];
};

/** By version, and within one by kind. Real events take the place of demo data. */
function inOrder(samples: readonly Sample[]): Sample[] {
  const heard = samples.filter(({ version }) => version > 0);
  const rank = ({ kind }: Sample) => sampleKinds.indexOf(kind);
  return (heard.length > 0 ? heard : [...samples]).sort((a, b) => a.version - b.version || rank(a) - rank(b));
}

function begin(sample: Extract<Sample, { kind: 'confirmed' }>, step: number): Told {
  const { status, channel, rail, currency } = sample.data;
  const agreed = sold(sample.data);
  return {
    ...{ status, channel, rail, currency, agreed, isOnBooks: true, history: [] },
    bookedAt: sample.at,
    cancelledAt: null,
    noShowOn: null,
    version: sample.version,
    changes: difference([], agreed, { sample, step }),
  };
}

function hear(told: Told, sample: Sample, step: number): Told {
  const { version } = sample;
  const back = { version, isOnBooks: true, cancelledAt: null, noShowOn: null };
  const move = (next: Partial<Told>): Told => {
    const after = { ...told, ...next };
    const before = told.isOnBooks ? told.agreed : [];
    const now = after.isOnBooks ? after.agreed : [];
    return { ...after, changes: [...told.changes, ...difference(before, now, { sample, step })] };
  };
  const agree = (agreed: readonly Night[]) => ({ agreed, history: [told.agreed, ...told.history] });
  switch (sample.kind) {
    case 'confirmed': {
      const { status, channel, rail, currency } = sample.data;
      return move({ ...back, ...agree(sold(sample.data)), status, channel, rail, currency });
    }
    case 'repriced':
      return move({ version, ...agree(repriced(told.agreed, sample.data.nights)) });
    case 'dates_changed': {
      // Only the way back counts: new dates hold once they have a price.
      if (sample.data.reason !== 'reallocation_failed') return { ...told, version };
      const { arrival, departure } = sample.data;
      const old = [told.agreed, ...told.history].find(nights => spans(nights, arrival, departure));
      return move({ version, ...(old === undefined ? {} : agree(old)) });
    }
    case 'checked_in':
      return move({ ...back, status: 'checked_in' });
    case 'checked_out':
      return move({ ...back, status: sample.data.status });
    case 'no_show':
      return move({
        version,
        isOnBooks: false,
        status: 'no_show',
        noShowOn: sample.businessDate,
        cancelledAt: null,
      });
    case 'cancelled':
      return move({ version, isOnBooks: false, status: 'cancelled', cancelledAt: sample.at, noShowOn: null });
  }
}

function sold({ nights, roomTypes, currency }: SampleData['confirmed']): Night[] {
  return nights.map(night =>
    priced(night, { roomTypeId: roomTypes[night.bookedRoomId] as string, currency }),
  );
}

/** New nights at their prices; a room keeps its type. Nights of a room nobody knows are left out. */
function repriced(agreed: readonly Night[], nights: readonly PricedNight[]): Night[] {
  const rooms = new Map(agreed.map(night => [night.bookedRoomId, night]));
  const known = nights.flatMap(night => {
    const room = rooms.get(night.bookedRoomId);
    return room === undefined ? [] : [priced(night, room)];
  });
  return known.length === 0 ? [...agreed] : known;
}

function priced(
  { bookedRoomId, date, net, gross }: PricedNight,
  { roomTypeId, currency }: Pick<Night, 'roomTypeId' | 'currency'>,
): Night {
  return { bookedRoomId, roomTypeId, currency, date, net: BigInt(net), gross: BigInt(gross) };
}

function spans(nights: readonly Night[], arrival: LocalDate, departure: LocalDate): boolean {
  const dates = nights.map(({ date }) => date).sort();
  return dates[0] === arrival && addDays(dates.at(-1) as LocalDate, 1) === departure;
}

/** What must be added to the one to get the other, night by night. */
function difference(
  before: readonly Night[],
  after: readonly Night[],
  { sample: { at, businessDate }, step }: { sample: Sample; step: number },
): NightChange[] {
  const key = ({ bookedRoomId, roomTypeId, currency, date }: Night) =>
    `${bookedRoomId} ${roomTypeId} ${currency} ${date}`;
  const old = new Map(before.map(night => [key(night), night]));
  const changes: NightChange[] = [];
  const when = { step, at, businessDate };
  for (const night of after) {
    const was = old.get(key(night));
    old.delete(key(night));
    const [net, gross] = [night.net - (was?.net ?? 0n), night.gross - (was?.gross ?? 0n)];
    if (was === undefined) changes.push({ ...night, ...when, rooms: 1 });
    else if (net !== 0n || gross !== 0n) changes.push({ ...night, ...when, net, gross, rooms: 0 });
  }
  for (const night of old.values())
    changes.push({ ...night, ...when, net: -night.net, gross: -night.gross, rooms: -1 });
  return changes;
}

/** Days as few ranges `[from, until)`. */
export function rangesOf(dates: Iterable<LocalDate>): { from: LocalDate; until: LocalDate }[] {
  const ranges: { from: LocalDate; until: LocalDate }[] = [];
  for (const date of [...new Set(dates)].sort()) {
    const last = ranges.at(-1);
    if (last !== undefined && date <= last.until) last.until = addDays(date, 1);
    else ranges.push({ from: date, until: addDays(date, 1) });
  }
  return ranges;
}
