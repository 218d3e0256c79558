import { randomBytes } from 'node:crypto';

// No vowels, no 0/O, 1/I/L: it is read over the phone, and spells no word.
const LETTERS = '23456789BCDFGHJKMNPQRSTVWXYZ';

/** What a guest shows at the door: eight letters (28^8, a third of a million million). Unique within a tenant by the table's key. */
export function newCode(): string {
  return Array.from(randomBytes(8), byte => LETTERS[byte % LETTERS.length]).join('');
}
