/** A rule of a Prometheus rule file. */
export type Rule = {
  readonly alert?: string;
  readonly record?: string;
  readonly expr?: string;
  readonly for?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
};

/** The rules of a file, of all its groups. */
export function readRules(text: string): Rule[] {
  const { groups } = readYaml(text) as { groups?: { name?: string; rules?: Rule[] }[] };
  if (!Array.isArray(groups)) throw new SyntaxError('a rule file has groups');
  return groups.flatMap(({ name, rules }) => {
    if (typeof name !== 'string' || !Array.isArray(rules))
      throw new SyntaxError('a group has a name and rules');
    return rules;
  });
}

type Line = { readonly indent: number; readonly text: string; readonly number: number };

/**
 * Reads the YAML our rule files are written in: blocks of names and lists, plain words, double quotes and `|-` texts.
 * Whatever another reader could understand differently is refused.
 */
export function readYaml(source: string): unknown {
  const lines: Line[] = source.split('\n').map((line, index) => ({
    indent: line.length - line.trimStart().length,
    text: line.trim(),
    number: index + 1,
  }));
  let at = 0;
  const wrong = (line: Line, what: string) => new SyntaxError(`line ${line.number}: ${what}: ${line.text}`);
  const peek = (): Line | undefined => {
    while (lines[at] !== undefined && /^(?:#.*)?$/.test(lines[at]?.text ?? '')) at += 1;
    return lines[at];
  };

  function block(indent: number): unknown {
    return peek()?.text.startsWith('- ') ? items(indent) : members(indent);
  }

  function items(indent: number): unknown[] {
    const found: unknown[] = [];
    for (let line = peek(); line?.indent === indent && line.text.startsWith('- '); line = peek()) {
      // The first member of an item stands on the line of its dash.
      lines[at] = { ...line, indent: indent + 2, text: line.text.slice(2) };
      found.push(members(indent + 2));
    }
    return found;
  }

  function members(indent: number): Record<string, unknown> {
    const found: Record<string, unknown> = {};
    for (let line = peek(); line?.indent === indent && !line.text.startsWith('- '); line = peek()) {
      const [, name, rest] = /^([A-Za-z_]\w*):(?: (.+))?$/.exec(line.text) ?? [];
      if (name === undefined) throw wrong(line, 'neither a name nor an item');
      if (name in found) throw wrong(line, 'a name that is here already');
      at += 1;
      found[name] = rest === undefined ? child(line) : rest === '|-' ? literal(indent) : scalar(rest, line);
    }
    const next = peek();
    if (next !== undefined && next.indent > indent) throw wrong(next, 'indented too far');
    return found;
  }

  function child(line: Line): unknown {
    const next = peek();
    if (next === undefined || next.indent !== line.indent + 2)
      throw wrong(line, 'nothing below, two spaces in');
    return block(next.indent);
  }

  function literal(indent: number): string {
    const found: string[] = [];
    for (
      let line = lines[at];
      line !== undefined && line.text !== '' && line.indent > indent;
      line = lines[at]
    ) {
      found.push(`${' '.repeat(line.indent - indent - 2)}${line.text}`);
      at += 1;
    }
    return found.join('\n');
  }

  function scalar(text: string, line: Line): string {
    if (text.startsWith('"')) return JSON.parse(text) as string;
    if (/^[[\]{}>|*&!%@`'#,?-]|: | #|:$/.test(text) || /^(?:true|false|null|yes|no|on|off|~)$/i.test(text))
      throw wrong(line, 'not plain, put it in double quotes');
    return text;
  }

  const first = peek();
  if (first === undefined || first.indent !== 0) throw new SyntaxError('nothing to read');
  const value = block(0);
  const rest = peek();
  if (rest !== undefined) throw wrong(rest, 'indented wrongly');
  return value;
}
