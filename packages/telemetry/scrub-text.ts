import { scrubDigits } from './scrub-digits.ts';
import { scrubEmails } from './scrub-email.ts';
import { scrubPairs } from './scrub-pairs.ts';
import { type Survey, surveyText } from './survey-text.ts';

/** What stands where something was taken out. */
export const redacted = '[redacted]';

const longestText = 8_192;
// Text is cut after the scan, with this margin before it, so that the cut cannot leave half an address behind.
const margin = 512;

// Control characters (C0, DEL, C1 with its one-byte CSI), line separators, and the marks that reorder text on screen.
const unprintable = /[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu;
const easternDigits = /[\u0660-\u0669\u06f0-\u06f9]/g;

type Rule = {
  readonly when: (found: Survey, text: string) => boolean;
  readonly pattern: RegExp;
  readonly to: string;
};

const hasPair = (found: Survey) => found.pair;
const hasBracket = (found: Survey) => found.bracket;

// `when` is a cheap condition without which the pattern cannot match. Every pattern takes linear time: a run is
// never nested in another run, and what follows a run cannot be part of it.
const rules: readonly Rule[] = [
  // Base64 of a JSON object: JWTs, whole or cut, and cursors made the same way.
  { when: (_, text) => text.includes('eyJ'), pattern: /eyJ[\w.+/=-]{10,}/g, to: redacted },
  {
    when: (_, text) => text.includes('-----BEGIN'),
    pattern: /-----BEGIN [^-\n]{0,40}PRIVATE KEY-----[^-]*(?:-----END [^-\n]{0,40}-----)?/g,
    to: redacted,
  },
  { when: hasPair, pattern: /otpauth:\S*/gi, to: redacted },
  // A TOTP seed: base32 has no 0, 1, 8 or 9, while every ULID of ours starts with 0.
  {
    when: found => found.capitals >= 16,
    pattern: /(?<!\w)(?=[A-Z]{0,64}[2-7])[A-Z2-7]{16,}=*(?!\w)/g,
    to: redacted,
  },
  { when: hasPair, pattern: /:\/\/[^\s/?#@:]*:[^\s/?#]*@/g, to: `://${redacted}@` },
  {
    when: found => found.space,
    pattern: /\b(Bearer|Basic|DPoP|Digest)\s{1,4}[\w.~+/=:-]{8,}/gi,
    to: `$1 ${redacted}`,
  },
  {
    when: found => found.digits >= 5,
    pattern: /\b(passport|tazkira|taskira|cnic|ssn|iban)\b[^\d\r\n[]{0,20}\d[\w-]{4,}/gi,
    to: `$1 ${redacted}`,
  },
  // PostgreSQL and Drizzle repeat values in their messages.
  { when: hasBracket, pattern: /\)=\([^\r\n]*/g, to: `)=(${redacted})` },
  { when: hasBracket, pattern: /(Failing row contains )[^\r\n]*/g, to: `$1${redacted}` },
  {
    when: hasPair,
    pattern: /(invalid input (?:syntax|value) for [^:\r\n]{1,60}: )[^\r\n]*/g,
    to: `$1${redacted}`,
  },
  { when: found => found.unprintable, pattern: /(\n\s{0,4}params: ).*/gs, to: `$1${redacted}` },
];

/** A text without secrets and personal data, on one line and harmless to a terminal. */
export function scrubText(text: string): string {
  const long = text.length > longestText;
  let clean = long ? text.slice(0, longestText + margin) : text;
  const found = surveyText(clean);
  if (found.plain && !clean.includes('eyJ')) return clean;
  if (found.easternDigits) clean = clean.replace(easternDigits, digit => String(digit.charCodeAt(0) & 0xf));
  // First, while the text still has the shape its writer gave it.
  if (found.pair || found.at) clean = scrubPairs(clean, redacted);
  for (const rule of rules) if (rule.when(found, clean)) clean = clean.replace(rule.pattern, rule.to);
  if (found.at) clean = scrubEmails(clean, redacted);
  if (found.digits >= 9) clean = scrubDigits(clean, redacted);
  if (found.unprintable) clean = clean.replace(unprintable, visible);
  return long ? `${clean.slice(0, longestText)}…[${text.length - longestText} more characters]` : clean;
}

function visible(character: string): string {
  if (character === '\n') return '\\n';
  if (character === '\r') return '\\r';
  if (character === '\t') return '\\t';
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
