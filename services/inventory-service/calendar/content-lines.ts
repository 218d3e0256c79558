import { UnreadableCalendar } from './unreadable-calendar.ts';

/** Most bytes of a calendar: 2 MB. A year of bookings of a room is about 30 KB. */
export const MOST_BYTES = 2 * 1_048_576;

/** Most characters of a line after it was unfolded. Long ones are descriptions, which nobody reads here. */
export const LONGEST_LINE = 16_384;

/** Octets of a folded line without its line break (RFC 5545, 3.1). */
const FOLD_AT = 75;

/** A property of a calendar: `DTSTART;VALUE=DATE:20270510`. Names are upper case, values as they stand. */
export type ContentLine = {
  readonly name: string;
  readonly params: ReadonlyMap<string, string>;
  readonly value: string;
};

/**
 * The logical lines of a calendar. Unfolded as bytes, before they are read as UTF-8: simple writers cut a letter of
 * several bytes in two (RFC 5545, 3.1). A bare LF ends a line as well as CR LF; empty lines are left out.
 */
export function unfold(bytes: Uint8Array): string[] {
  if (bytes.length > MOST_BYTES) throw new UnreadableCalendar(`it has more than ${MOST_BYTES} bytes`);
  const folded = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  const text = utf8(Buffer.from(folded.replaceAll(/\r?\n[ \t]/g, ''), 'latin1'));
  const lines = text.split(/\r?\n/).filter(line => line !== '');
  for (const line of lines) {
    if (line.length > LONGEST_LINE)
      throw new UnreadableCalendar(`a line has more than ${LONGEST_LINE} characters`);
    if (/[^\P{Cc}\t]/u.test(line)) throw new UnreadableCalendar('a line has control characters');
  }
  return lines;
}

/** Lines as bytes on the wire: folded at 75 octets, never within a letter, each ended by CR LF. */
export function fold(lines: readonly string[]): string {
  return lines.map(line => `${foldLine(line)}\r\n`).join('');
}

function foldLine(line: string): string {
  let folded = '';
  let octets = 0;
  for (const letter of line) {
    const size = Buffer.byteLength(letter);
    if (octets + size > FOLD_AT) {
      folded += '\r\n ';
      octets = 1;
    }
    folded += letter;
    octets += size;
  }
  return folded;
}

/** Reads one logical line; the first value of a parameter counts, without its quotes. */
export function parseLine(line: string): ContentLine {
  const name = matchAt(/[A-Za-z0-9-]+/y, line, 0);
  if (name === undefined) throw new UnreadableCalendar('a line has no name');
  const params = new Map<string, string>();
  let at = name.end;
  for (;;) {
    const param = matchAt(/;([A-Za-z0-9-]+)=("[^"]*"|[^":;,]*)(?:,(?:"[^"]*"|[^":;,]*))*/y, line, at);
    if (param === undefined) break;
    const [, key = '', value = ''] = param.groups;
    params.set(key.toUpperCase(), value.replaceAll('"', ''));
    at = param.end;
  }
  if (line[at] !== ':') throw new UnreadableCalendar(`${name.groups[0]} has no value`);
  return { name: (name.groups[0] ?? '').toUpperCase(), params, value: line.slice(at + 1) };
}

/** Text as a value: backslash, semicolon, comma and line break are escaped, so that no text can add a line (safety 39). */
export function escapeText(text: string): string {
  return text.replaceAll(/[\\;,]/g, '\\$&').replaceAll(/\r\n|\r|\n/g, '\\n');
}

/** The text of a value. A backslash before anything else stands for itself. */
export function unescapeText(value: string): string {
  return value.replaceAll(/\\([\\;,nN])/g, (_, letter: string) =>
    letter.toLowerCase() === 'n' ? '\n' : letter,
  );
}

function matchAt(pattern: RegExp, line: string, at: number): { groups: string[]; end: number } | undefined {
  pattern.lastIndex = at;
  const match = pattern.exec(line);
  return match === null ? undefined : { groups: [...match], end: pattern.lastIndex };
}

function utf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes); // drops a byte order mark
  } catch {
    throw new UnreadableCalendar('it is not written in UTF-8');
  }
}
