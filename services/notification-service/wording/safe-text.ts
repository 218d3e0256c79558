/** Bidirectional overrides and embeddings: they can make a line read as something else. ZWNJ, which Dari needs, is none. */
const directional = /[\u202a-\u202e\u2066-\u2069\u200e\u200f\u061c]/g;

/** A value from outside on one line: no control characters, no line breaks (safety-39), no directional tricks. */
export function oneLine(text: string): string {
  return text
    .replaceAll(directional, '')
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]+/gu, ' ')
    .replaceAll(/ {2,}/g, ' ')
    .trim();
}

/**
 * The name of a guest if it is one. Whoever books may type anything and name somebody else's address: a sentence with
 * a link must not travel under the house's name.
 */
export function nameOf(text: string): string | undefined {
  const name = oneLine(text);
  if (name === '' || name.length > 80) return undefined;
  if (!/^[\p{L}\p{M}\u200c .'’-]+$/u.test(name)) return undefined;
  return /\.\p{L}{2}/u.test(name) ? undefined : name;
}

/** Text as it may stand in HTML, also between quotes. */
export function escapeHtml(text: string): string {
  const entities: Record<string, string> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&#39;',
  };
  return text.replaceAll(/[&<>"']/g, one => entities[one] as string);
}
