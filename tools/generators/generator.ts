/** A page of docs/reference that is made from the code. `source` tells the reader where to change it. */
export type Page = { path: string; title: string; source: string; make(root: string): Promise<string> };

/** Files that are made together: path → text. Whatever else `owns` says yes to is left over from before. */
export type FileSet = {
  name: string;
  owns(path: string): boolean;
  makeAll(root: string): Promise<ReadonlyMap<string, string>>;
};

/** Whatever is made from the code and committed. */
export type Generator = Page | FileSet;

/** What a generator is called when it fails. */
export function nameOf(generator: Generator): string {
  return 'makeAll' in generator ? generator.name : generator.path;
}

/** All files of a generator, as they must be committed. */
export async function filesOf(generator: Generator, root: string): Promise<ReadonlyMap<string, string>> {
  if ('makeAll' in generator) return generator.makeAll(root);
  return new Map([[generator.path, withHeader(generator, await generator.make(root))]]);
}

/** Committed files that a generator would not make any more. */
export function leftOver(
  generator: Generator,
  made: ReadonlyMap<string, string>,
  committed: readonly string[],
) {
  return 'makeAll' in generator ? committed.filter(path => generator.owns(path) && !made.has(path)) : [];
}

/** The whole page: title, where it comes from, body, one newline at the end. */
export function withHeader({ title, source }: Pick<Page, 'title' | 'source'>, body: string): string {
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
