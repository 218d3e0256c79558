const localEnd = new Set('"<>()[],;:\\@\u00a0\u2028\u2029');
const beyondAscii = /[\p{L}\p{N}]/u;
const longestLocal = 128;
const longestDomain = 255;

/** Replaces e-mail addresses in a text, also in other scripts, quoted, and with `%40` for the at sign. */
export function scrubEmails(text: string, replacement: string): string {
  let result = '';
  let copied = 0;
  for (const { 0: sign, index } of text.matchAll(/@|%40/g)) {
    const start = localStart(text, index, copied);
    const end = domainEnd(text, index + sign.length);
    if (start >= index || !isDomain(text.slice(index + sign.length, end))) continue;
    if (text[index - 1] === '/' && text[end] === '/') continue; // a scoped package: node_modules/@scope/name
    result += text.slice(copied, start) + replacement;
    copied = end;
  }
  return copied === 0 ? text : result + text.slice(copied);
}

function localStart(text: string, at: number, floor: number): number {
  const stop = Math.max(floor, at - longestLocal);
  if (text[at - 1] === '"') {
    const quote = text.slice(stop, at - 1).lastIndexOf('"');
    return quote === -1 ? at : stop + quote;
  }
  let start = at;
  while (start > stop && isLocal(text[start - 1] ?? '')) start--;
  return start;
}

function domainEnd(text: string, from: number): number {
  const stop = Math.min(text.length, from + longestDomain);
  let end = from;
  while (end < stop && isDomainPart(text[end] ?? '')) end++;
  return end;
}

// White space and control characters are at or below U+0020, and in 007F to 009F.
function isLocal(character: string): boolean {
  return character > ' ' && !(character >= '\u007f' && character <= '\u009f') && !localEnd.has(character);
}

function isDomainPart(character: string): boolean {
  if (character >= 'a' && character <= 'z') return true;
  if (character < '\u0080') return /[A-Z0-9._-]/.test(character);
  return beyondAscii.test(character);
}

// `pino@10.4.0` is a version and not an address: the last label of a domain starts with a letter.
function isDomain(text: string): boolean {
  const last =
    text
      .replace(/[._-]+$/, '')
      .split('.')
      .at(-1) ?? '';
  return /^\p{L}/u.test(last);
}
