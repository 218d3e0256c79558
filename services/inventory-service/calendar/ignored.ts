/**
 * Summaries that portals give to windows which are no bookings: days that are closed for all, too near or too far to be
 * booked. They move every day and get new UIDs, so they must not become blocks (R13). Booking.com writes `CLOSED - Not
 * available` on bookings too: it is not in the list, because what it would cost is a room sold twice.
 */
export const DEFAULT_IGNORED: readonly string[] = [
  'Not available',
  'Airbnb (Not available)',
  'Unavailable',
  'Blocked',
  'CLOSED',
];

/** True when one of the patterns is the whole summary; letter case and spacing do not matter, `*` is anything. */
export function isIgnored(summary: string, patterns: readonly string[]): boolean {
  const text = plain(summary);
  return patterns.some(pattern => matches(text, plain(pattern)));
}

function plain(text: string): string {
  return text.normalize('NFKC').replaceAll(/\s+/g, ' ').trim().toLowerCase();
}

/** Piece by piece from the left, no regular expression: a pattern from outside must not cost more than the text is long. */
function matches(text: string, pattern: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const piece of rest) {
    const found = text.indexOf(piece, at);
    if (found === -1) return false;
    at = found + piece.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}
