/** The two card formats nearly every reader speaks: a facility (site) code and a number between two parity bits. */
export const wiegandFormats = {
  26: { facilityBits: 8, numberBits: 16 }, // H10301, the open standard
  34: { facilityBits: 16, numberBits: 16 },
} as const;
export type WiegandFormat = keyof typeof wiegandFormats;

/** What is on a card. */
export type WiegandCard = {
  readonly format: WiegandFormat;
  readonly facility: number;
  readonly number: number;
};

/**
 * The bits a reader sends, as text of 0 and 1: the first bit makes the first half (itself included) even, the last bit
 * makes the second half odd.
 */
export function wiegandFrame({ format, facility, number }: WiegandCard): string {
  const { facilityBits, numberBits } = wiegandFormats[format];
  const data = bits(facility, facilityBits) + bits(number, numberBits);
  const half = data.length / 2;
  const even = ones(data.slice(0, half)) % 2;
  const odd = (ones(data.slice(half)) + 1) % 2;
  return `${even}${data}${odd}`;
}

/** Reads the bits of a card; undefined when a parity does not fit or the length is none we know. */
export function readWiegandFrame(frame: string): WiegandCard | undefined {
  const format = frame.length as WiegandFormat;
  const shape = wiegandFormats[format];
  if (shape === undefined || !/^[01]+$/.test(frame)) return undefined;
  const data = frame.slice(1, -1);
  const facility = Number.parseInt(data.slice(0, shape.facilityBits), 2);
  const number = Number.parseInt(data.slice(shape.facilityBits), 2);
  const card = { format, facility, number };
  return wiegandFrame(card) === frame ? card : undefined;
}

function bits(value: number, length: number): string {
  if (!Number.isInteger(value) || value < 0 || value >= 2 ** length)
    throw new RangeError(`a Wiegand field of ${length} bits cannot hold ${value}`);
  return value.toString(2).padStart(length, '0');
}

function ones(text: string): number {
  return text.replaceAll('0', '').length;
}
