import { createRequire } from 'node:module';
import { normalisePassword } from './password-hash.ts';

/** Characters a password needs; 15 are advised where it is the only factor (ASVS 6.2.1). */
export const PASSWORD_MIN = 8;

/** Characters a password may have; a limit only against absurd input. */
export const PASSWORD_MAX = 1024;

const LIST_SIZE_FLOOR = 3_000;

let common: ReadonlySet<string> | undefined;

/** Why a password cannot be chosen; undefined when it can. No rules on kinds of characters (NIST 800-63B). */
export function whyRefused(password: string, about: { email: string; name: string }): string | undefined {
  const text = normalisePassword(password);
  const length = [...text].length;
  if (length < PASSWORD_MIN) return `it has fewer than ${PASSWORD_MIN} characters`;
  if (length > PASSWORD_MAX) return `it has more than ${PASSWORD_MAX} characters`;
  const lower = text.toLowerCase();
  common ??= loadCommon();
  if (common.has(lower)) return 'it is one of the most used passwords';
  const [mailbox = ''] = about.email.toLowerCase().split('@');
  const obvious = [about.email.toLowerCase(), mailbox, about.name.toLowerCase(), 'melmastoon'];
  if (obvious.some(word => isWordAndDigits(lower, normalisePassword(word)))) {
    return 'it is made of your name, your e-mail or ours';
  }
  return undefined;
}

/** True for the word itself, also with digits and signs around it: `amina2026!` for amina. */
function isWordAndDigits(password: string, word: string): boolean {
  if (word.length < 3 || !password.includes(word)) return false;
  return !/\p{L}/u.test(password.replace(word, ''));
}

/** Read when the first password is chosen, not at import: 49,000 entries, ordered by how often they were found. */
function loadCommon(): ReadonlySet<string> {
  const list: unknown = createRequire(import.meta.url)('@zxcvbn-ts/language-common/src/passwords.json');
  const usable = (list as string[]).filter(entry => entry.length >= PASSWORD_MIN);
  if (usable.length < LIST_SIZE_FLOOR) throw new Error('the list of common passwords is not what it was');
  return new Set(usable);
}
