/** Rows as aligned columns under a header; a column without any value is left out. */
export function table(rows: readonly Readonly<Record<string, string | number | undefined>>[]): string {
  if (rows.length === 0) return '(none)';
  const names = Object.keys(rows[0] as object).filter(name => rows.some(row => (row[name] ?? '') !== ''));
  const cells = [names, ...rows.map(row => names.map(name => String(row[name] ?? '')))];
  const widths = names.map((_, column) => Math.max(...cells.map(line => (line[column] as string).length)));
  const text = cells.map(line =>
    line
      .map((cell, column) => cell.padEnd(widths[column] as number))
      .join('  ')
      .trimEnd(),
  );
  text.splice(1, 0, widths.map(width => '─'.repeat(width)).join('  '));
  return text.join('\n');
}
