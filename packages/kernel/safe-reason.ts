/**
 * What went wrong, as a text that any database and stream can keep: no NUL, no half of a character, at most `most`
 * characters. Takes whatever was thrown, and its message where it is an error.
 */
export function safeReason(thrown: unknown, most: number): string {
  return textOf(thrown).replaceAll('\0', '\u{fffd}').slice(0, most).toWellFormed();
}

function textOf(thrown: unknown): string {
  try {
    return String(thrown instanceof Error ? thrown.message : thrown);
  } catch {
    return 'something was thrown that has no text';
  }
}
