type Row = Readonly<Record<string, string | number | undefined>>;

const INDENT = '    ';

/**
 * Rows as aligned columns under a header; a column without any value is left out. `below`: lines under a row, for ids and
 * sentences that would make the table wider than a terminal; those without text are left out.
 */
export function table<Given>(
  given: readonly Given[],
  rowOf: (given: Given) => Row = given => given as Row,
  below: (given: Given) => readonly string[] = () => [],
): string {
  if (given.length === 0) return '(none)';
  const rows = given.map(rowOf);
  const names = Object.keys(rows[0] as object).filter(name => rows.some(row => (row[name] ?? '') !== ''));
  const cells = [names, ...rows.map(row => names.map(name => String(row[name] ?? '')))];
  const widths = names.map((_, column) => Math.max(...cells.map(line => (line[column] as string).length)));
  const [header = '', ...text] = cells.map(line =>
    line
      .map((cell, column) => cell.padEnd(widths[column] as number))
      .join('  ')
      .trimEnd(),
  );
  const under = given.map(one => below(one).filter(line => line !== ''));
  return [
    header,
    widths.map(width => '─'.repeat(width)).join('  '),
    ...text.flatMap((line, place) => [line, ...(under[place] ?? []).map(more => INDENT + more)]),
  ].join('\n');
}

/** Columns that the indent of a line below takes. */
export const BELOW = INDENT.length;
