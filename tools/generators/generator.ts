/** A file of docs/reference that is made from the code. `source` tells the reader where to change it. */
export type Generator = { path: string; title: string; source: string; make(root: string): Promise<string> };

/** The whole file: title, where it comes from, body, one newline at the end. */
export function withHeader({ title, source }: Pick<Generator, 'title' | 'source'>, body: string): string {
  return `# ${title}\n\nGenerated from ${source} by \`npm run generate\`; do not edit.\n\n${body.trimEnd()}\n`;
}

/** A Markdown table; cells may hold anything, pipes and newlines are escaped. */
export function table(head: string[], rows: string[][]): string {
  const line = (cells: string[]) => `| ${cells.map(cell).join(' | ')} |`;
  return [line(head), `|${head.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n');
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ');
}
