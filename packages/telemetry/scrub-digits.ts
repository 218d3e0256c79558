const digitRun = /\d(?:[ \-.]{0,2}\d){12,}/g;
const international = /(?:\+|(?<![\w.])00)[1-9](?:[ ()./-]{0,2}\d){7,14}(?!\d)/g;
// A trunk zero, then the usual groups; dates do not fit because the middle group has three digits.
const national = /(?<![\w.+-])\(?0[1-9]\d{0,2}\)?[ -]?\d{3}[ -]?\d{3,4}(?!\w)/g;
// The home market's mobiles as chat apps write them, without a plus.
const afghanMobile = /(?<![\w.])937\d{8}(?!\w)/g;

/** Replaces card numbers (13 to 19 digits that pass Luhn, also grouped) and telephone numbers in a text. */
export function scrubDigits(text: string, replacement: string): string {
  return text
    .replace(digitRun, run => scrubCards(run, replacement))
    .replace(international, replacement)
    .replace(national, replacement)
    .replace(afghanMobile, replacement);
}

/** True when the number as a whole passes the Luhn check. */
export function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (let i = digits.length - 1, double = false; i >= 0; i--, double = !double) {
    const digit = digits.charCodeAt(i) - 48;
    sum += double ? (digit > 4 ? digit * 2 - 9 : digit * 2) : digit;
  }
  return sum % 10 === 0;
}

/**
 * Cards inside one run of digits and separators. A room number before a card ("101 4111 1111 …") makes one long run,
 * so windows are tried too: any that starts and ends at a group, and any of a brand's length and prefix.
 */
function scrubCards(run: string, replacement: string): string {
  const at: number[] = [];
  for (let i = 0; i < run.length; i++) if (isDigit(run, i)) at.push(i);
  const digits = at.map(i => run[i]).join('');
  let result = '';
  let copied = 0;
  for (let start = 0; start <= digits.length - 13; start++) {
    const length = cardLengthAt(run, at, digits, start);
    if (length === 0) continue;
    result += run.slice(copied, at[start]) + replacement;
    copied = (at[start + length - 1] ?? 0) + 1;
    start += length - 1;
  }
  return result + run.slice(copied);
}

function cardLengthAt(run: string, at: readonly number[], digits: string, start: number): number {
  // No issuer's number starts with 0 or 1, and epoch times do.
  if (digits[start] === '0' || digits[start] === '1') return 0;
  const startsGroup = !isDigit(run, (at[start] ?? 0) - 1);
  for (let length = Math.min(19, digits.length - start); length >= 13; length--) {
    const candidate = digits.slice(start, start + length);
    const whole = startsGroup && !isDigit(run, (at[start + length - 1] ?? 0) + 1);
    if ((whole || looksIssued(candidate)) && passesLuhn(candidate)) return length;
  }
  return 0;
}

// Visa, Mastercard, Amex, Mir and the regional schemes of our markets (UnionPay, Uzcard, Humo, Troy).
function looksIssued(digits: string): boolean {
  if (digits.length === 15) return /^3[47]/.test(digits);
  return digits.length === 16 && /^(?:4|5[1-5]|2[2-7]|6[0-9]|8600|9860|9792)/.test(digits);
}

function isDigit(text: string, index: number): boolean {
  const code = text.charCodeAt(index);
  return code >= 48 && code <= 57;
}
