const WIDTH = 110;

/** JSON as biome formats it: what fits on a line stays on it, all else gets a line per member. */
export function jsonText(value: unknown): string {
  return `${print(value, '', 0)}\n`;
}

/** `used` is what already stands on the line: a name before, a comma after. */
function print(value: unknown, indent: string, used: number): string {
  const line = flat(value);
  if (typeof value !== 'object' || value === null || fits(value, line, indent.length + used)) return line;
  const inner = `${indent}  `;
  if (Array.isArray(value)) {
    const items = value.map((item, at) => `${inner}${print(item, inner, comma(value, at))}`);
    return `[\n${items.join(',\n')}\n${indent}]`;
  }
  const members = Object.entries(value).map(([name, member], at, all) => {
    const start = `${JSON.stringify(name)}: `;
    return `${inner}${start}${print(member, inner, start.length + comma(all, at))}`;
  });
  return `{\n${members.join(',\n')}\n${indent}}`;
}

/** All but the last are followed by one. */
function comma(all: readonly unknown[], at: number): number {
  return at === all.length - 1 ? 0 : 1;
}

/** Biome joins a list that fits; an object on one line holds no other object, for more is hard to read. */
function fits(value: object, line: string, before: number): boolean {
  return before + line.length <= WIDTH && isShort(value);
}

function isShort(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true;
  if (Array.isArray(value)) return value.every(isShort);
  return Object.values(value).every(member =>
    Array.isArray(member) ? member.every(isScalarOrEmpty) : isScalarOrEmpty(member),
  );
}

function isScalarOrEmpty(value: unknown): boolean {
  return typeof value !== 'object' || value === null || Object.keys(value).length === 0;
}

function flat(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(flat).join(', ')}]`;
  const members = Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}: ${flat(member)}`);
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}
