/** Text that somebody else wrote, on one line and without anything a terminal would obey. */
export function oneLine(text: string, most = 400): string {
  const line = text.replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim();
  return line.length > most ? `${line.slice(0, most - 1)}…` : line;
}

/** How long ago, in the one unit a person wants: `40 s`, `12 min`, `5 h`, `3 d`. */
export function age(seconds: number): string {
  const units = [
    [86_400, 'd'],
    [3_600, 'h'],
    [60, 'min'],
  ] as const;
  const [size, name] = units.find(([least]) => seconds >= least * 2) ?? [1, 's'];
  return `${Math.floor(seconds / size)} ${name}`;
}

/** `1 message`, `1,204 messages`. */
export function counted(count: number, singular: string, plural = `${singular}s`): string {
  return `${whole(count)} ${count === 1 ? singular : plural}`;
}

/** A number with its thousands apart, and a plus where there are more than were counted. */
export function whole(count: number, isMore = false): string {
  return `${count.toLocaleString('en')}${isMore ? '+' : ''}`;
}

/** A key without the tenant in front of it, which stands beside it. */
export function shortKey(orderingKey: string, tenantId: string): string {
  return oneLine(
    orderingKey.startsWith(`${tenantId}:`) ? orderingKey.slice(tenantId.length + 1) : orderingKey,
  );
}

/** Whole ids, to be pasted behind `--tenant` or into a query. */
export function whose(tenantId: string, orderingKey: string): string {
  return `tenant ${tenantId}  key ${shortKey(orderingKey, tenantId)}`;
}

/** A moment to the second, as `--since` takes it. */
export function second(moment: Date): string {
  return moment.toISOString().replace(/\.\d+Z$/, 'Z');
}

/** Columns left for the last cell of a table whose others take `taken`; enough for a sentence where nobody watches. */
export function room(taken: number): number {
  const width = process.stdout.isTTY ? process.stdout.columns : 0;
  return width > 0 ? Math.max(20, width - taken) : 100;
}

/** A word as a shell takes it whole. */
export function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll(`'`, `'\\''`)}'`;
}
