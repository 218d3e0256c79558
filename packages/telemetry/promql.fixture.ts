/** One metric as an expression names it. `calls` are the functions and aggregations around it, the innermost first. */
export type Selector = {
  readonly metric: string;
  readonly matchers: readonly { readonly label: string; readonly op: string; readonly value: string }[];
  readonly isRange: boolean;
  readonly isOffset: boolean;
  readonly calls: readonly string[];
};

/** What an expression says: the metrics it reads, the labels it groups or joins by, and the numbers it compares with. */
export type Expression = {
  readonly selectors: readonly Selector[];
  /** Labels of a `by`, `on` or `group_left`, each with the metrics they must belong to. */
  readonly groupings: readonly { readonly label: string; readonly metrics: readonly string[] }[];
  readonly comparisons: readonly { readonly op: string; readonly value: number }[];
};

const TOKEN =
  /\s*(?:(?<number>\d+(?:\.\d+)?(?:e[+-]?\d+)?)(?![\w:])|(?<duration>(?:\d+(?:ms|[smhdwy]))+)|(?<name>\$?[A-Za-z_:][\w:]*)|(?<text>"(?:[^"\\]|\\.)*")|(?<op>=~|!~|==|!=|<=|>=|[-+*/%^<>=(){}[\],:]))/y;
const aggregations = /^(?:sum|min|max|avg|count|group|stddev|topk|bottomk|quantile|count_values)$/;
const functions =
  /^(?:rate|irate|increase|delta|histogram_quantile|absent|absent_over_time|clamp_min|clamp_max|scalar|vector|time|max_over_time|avg_over_time|label_replace)$/;
const needsRange = /^(?:rate|irate|increase|delta|\w+_over_time)$/;

// From weak to strong.
const levels = [
  ['or'],
  ['and', 'unless'],
  ['==', '!=', '<=', '>=', '<', '>'],
  ['+', '-'],
  ['*', '/', '%'],
  ['^'],
];

type Token = { readonly kind: string; readonly text: string };
type Part = { metrics: string[]; number?: number };

/** Reads the part of PromQL that our rules and dashboards are written in; throws on anything else. */
export function parsePromql(source: string): Expression {
  const tokens = tokensOf(source);
  const selectors: Selector[] = [];
  const groupings: { label: string; metrics: readonly string[] }[] = [];
  const comparisons: { op: string; value: number }[] = [];
  let at = 0;

  const peek = (): Token => tokens[at] ?? { kind: 'end', text: 'the end' };
  const is = (...texts: string[]) => texts.includes(peek().text) && peek().kind !== 'text';
  const take = (): Token => {
    const token = peek();
    at += 1;
    return token;
  };
  const expect = (text: string) => {
    if (!is(text)) throw new SyntaxError(`expected ${text}, found ${peek().text} in: ${source}`);
    take();
  };

  function list<T>(open: string, close: string, item: () => T): T[] {
    const items: T[] = [];
    expect(open);
    while (!is(close)) {
      items.push(item());
      if (!is(close)) expect(',');
    }
    expect(close);
    return items;
  }
  const labels = () => list('(', ')', () => take().text);

  function binary(level: number, calls: readonly string[]): Part {
    const operators = levels[level];
    if (operators === undefined) return unary(calls);
    let left = binary(level + 1, calls);
    while (is(...operators)) {
      const op = take().text;
      if (is('bool')) take();
      const names: string[] = [];
      while (is('on', 'ignoring', 'group_left', 'group_right')) {
        take();
        if (is('(')) names.push(...labels());
      }
      const right = binary(level + 1, calls);
      const metrics = [...left.metrics, ...right.metrics];
      for (const label of names) groupings.push({ label, metrics });
      if (level === 2 && right.number !== undefined) comparisons.push({ op, value: right.number });
      left = { metrics };
    }
    return left;
  }

  function unary(calls: readonly string[]): Part {
    if (!is('-')) return primary(calls);
    take();
    const part = primary(calls);
    return part.number === undefined ? part : { metrics: [], number: -part.number };
  }

  function primary(calls: readonly string[]): Part {
    if (is('(')) {
      take();
      const inner = binary(0, calls);
      expect(')');
      return inner;
    }
    if (peek().kind === 'number') return { metrics: [], number: Number(take().text) };
    if (peek().kind === 'text') {
      take();
      return { metrics: [] };
    }
    if (peek().kind !== 'name') throw new SyntaxError(`unexpected ${peek().text} in: ${source}`);
    const name = take().text;
    return is('(', 'by', 'without') ? call(name, calls) : selector(name, calls);
  }

  function call(name: string, calls: readonly string[]): Part {
    if (!aggregations.test(name) && !functions.test(name))
      throw new SyntaxError(`unknown function ${name} in: ${source}`);
    const names: string[] = [];
    const grouped = () => {
      if (!is('by', 'without')) return;
      if (!aggregations.test(name)) throw new SyntaxError(`${name} does not group, in: ${source}`);
      take();
      names.push(...labels());
    };
    grouped();
    const parts = list('(', ')', () => binary(0, [name, ...calls]));
    grouped();
    const metrics = parts.flatMap(part => part.metrics);
    for (const label of names) groupings.push({ label, metrics });
    return { metrics };
  }

  function selector(metric: string, calls: readonly string[]): Part {
    const matchers = is('{')
      ? list('{', '}', () => {
          const [label, op, value] = [take(), take(), take()];
          if (!/^(?:=|!=|=~|!~)$/.test(op.text) || value.kind !== 'text')
            throw new SyntaxError(`${label.text}${op.text}${value.text} matches nothing, in: ${source}`);
          return { label: label.text, op: op.text, value: JSON.parse(value.text) as string };
        })
      : [];
    const isRange = is('[');
    if (isRange) duration('[', ']');
    const isOffset = is('offset');
    if (isOffset) {
      take();
      duration();
    }
    if (isRange !== needsRange.test(calls[0] ?? ''))
      throw new SyntaxError(`${metric} ${isRange ? 'has' : 'needs'} a range, in: ${source}`);
    selectors.push({ metric, matchers, isRange, isOffset, calls });
    return { metrics: [metric] };
  }

  function duration(open?: string, close?: string): void {
    if (open !== undefined) expect(open);
    const token = take();
    if (token.kind !== 'duration' && token.text !== '$__rate_interval')
      throw new SyntaxError(`${token.text} is no duration, in: ${source}`);
    if (close !== undefined) expect(close);
  }

  binary(0, []);
  if (peek().kind !== 'end') throw new SyntaxError(`unexpected ${peek().text} in: ${source}`);
  return { selectors, groupings, comparisons };
}

function tokensOf(source: string): Token[] {
  const tokens: Token[] = [];
  const text = source.trim();
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.length) {
    const from = TOKEN.lastIndex;
    const groups = TOKEN.exec(text)?.groups;
    if (groups === undefined)
      throw new SyntaxError(`cannot read ${text.slice(from, from + 20)} in: ${source}`);
    const [kind, value] = Object.entries(groups).find(([, found]) => found !== undefined) as [string, string];
    tokens.push({ kind, text: value });
  }
  return tokens;
}
