/** Plain words that YAML 1.1 or 1.2 would read as something else than text. */
const RESERVED = /^(?:true|false|null|yes|no|on|off|y|n|nan|inf)$/i;
const PLAIN = /^\$?[A-Za-z]-?[A-Za-z][\w./-]*(?: [\w./-]+)*$/;

/** YAML of a JSON value: blocks for objects and lists, quotes wherever a plain word could be misread. */
export function yamlText(value: unknown): string {
  return `${block(value, '')}\n`;
}

function block(value: unknown, indent: string): string {
  if (Array.isArray(value) && value.length > 0)
    return value.map(item => `${indent}- ${after(item, `${indent}  `).trimStart()}`).join('\n');
  if (isObject(value) && Object.keys(value).length > 0) {
    const members = Object.entries(value);
    return members
      .map(([name, member]) => `${indent}${word(name)}:${child(member, `${indent}  `)}`)
      .join('\n');
  }
  return `${indent}${scalar(value)}`;
}

/** What follows `name:`, on the same line or as a block below it. */
function child(value: unknown, indent: string): string {
  const isBlock = typeof value === 'object' && value !== null && Object.keys(value).length > 0;
  return isBlock ? `\n${block(value, indent)}` : ` ${scalar(value)}`;
}

function after(item: unknown, indent: string): string {
  return typeof item === 'object' && item !== null ? block(item, indent) : scalar(item);
}

function scalar(value: unknown): string {
  if (typeof value === 'string') return word(value);
  return JSON.stringify(value); // numbers, true, false, null, [] and {} are the same in YAML
}

function word(text: string): string {
  return PLAIN.test(text) && !RESERVED.test(text) ? text : JSON.stringify(text);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
