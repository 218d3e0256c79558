/** How a text travels as SMS. `units`: septets of GSM-7 or UTF-16 units of UCS-2. */
export type SmsLength = {
  readonly encoding: 'gsm7' | 'ucs2';
  readonly units: number;
  readonly parts: number;
};

// 3GPP TS 23.038: the default alphabet, and what costs two septets because it is escaped.
const basic =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?' +
  '¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà';
const escaped = '^{}\\[~]|€\f';

const cost = new Map([
  ...[...basic].map(one => [one, 1] as const),
  ...[...escaped].map(one => [one, 2] as const),
]);

/** Most parts we send: beyond it people stop reading and houses go on paying. */
export const MOST_PARTS = 6;

/**
 * The encoding, length and number of parts of an SMS. One character outside GSM-7 makes all of it UCS-2: 70 instead of
 * 160 for one part, and 67 or 153 for each of several. No part splits a character.
 */
export function smsLength(text: string): SmsLength {
  const characters = [...text];
  const septets = characters.map(one => cost.get(one));
  if (septets.every(one => one !== undefined)) return measure(septets as number[], 'gsm7', [160, 153]);
  return measure(
    characters.map(one => one.length),
    'ucs2',
    [70, 67],
  );
}

function measure(
  costs: readonly number[],
  encoding: SmsLength['encoding'],
  [whole, each]: readonly [number, number],
): SmsLength {
  const units = costs.reduce((sum, one) => sum + one, 0);
  if (units <= whole) return { encoding, units, parts: 1 };
  let parts = 1;
  let used = 0;
  for (const one of costs) {
    if (used + one > each) {
      parts += 1;
      used = 0;
    }
    used += one;
  }
  return { encoding, units, parts };
}
