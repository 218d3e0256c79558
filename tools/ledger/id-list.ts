/** `JOB-01..03` and `JOB-01..JOB-03` as single ids; a single id as itself. */
export function expandRange(text: string): string[] {
  const range = /^([A-Z]+-|safety-|R)(\d+)(?:\.\.(?:\1)?(\d+))?$/.exec(text);
  if (range === null) throw new Error(`${text} is not an id or a range of ids`);
  const [, prefix = '', first = '', last = first] = range;
  const count = Number(last) - Number(first) + 1;
  if (count < 1) throw new Error(`${text} runs backwards`);
  return Array.from(
    { length: count },
    (_, step) => prefix + String(Number(first) + step).padStart(first.length, '0'),
  );
}

/** Every id of a line such as `GEN-01..23 EVT-07`. */
export function expandList(text: string): string[] {
  return text
    .split(' ')
    .filter(part => part !== '')
    .flatMap(expandRange);
}

/** The shortest line that expands to the same ids, in the same order. */
export function compressList(ids: string[]): string {
  const parts: string[] = [];
  let first = '';
  let last = '';
  const close = () => {
    if (first !== '') parts.push(first === last ? first : `${first}..${/\d+$/.exec(last)?.[0]}`);
  };
  for (const id of ids) {
    if (id !== following(last)) {
      close();
      first = id;
    }
    last = id;
  }
  close();
  return parts.join(' ');
}

function following(id: string): string {
  return id.replace(/\d+$/, number => String(Number(number) + 1).padStart(number.length, '0'));
}
