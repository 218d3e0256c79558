import { compressList } from './id-list.ts';

/** One section of the requirements: its number in the ledger, or the name of the rule book. */
export type Section = { section: string; title: string; ids: string };

/** The sections of the ledger: rows are `| AREA-nn | …` or a bold `**AREA-nn` above a table of columns. */
export function ledgerSections(markdown: string): Section[] {
  const parts = markdown.split(/^## (?=\d+\. )/m).slice(1);
  const sections = parts.map(part => {
    const [, section = '', title = ''] = /^(\d+)\. (.+)/.exec(part) ?? [];
    const ids = [...part.matchAll(/^(?:\| *|\*\*)([A-Z]+-\d+)\b/gm)].map(([, id = '']) => id);
    return { section, title: title.replace(/ \(all .*\)$/, '').trim(), ids: compressList(unique(ids)) };
  });
  assertCounts(markdown, parts);
  return sections.filter(({ ids }) => ids !== '');
}

/** Safety rules: the numbered list of section 3, cited as `safety-7`. */
export function safetySection(markdown: string): Section {
  const list = markdown.split(/^## 3\. .*$/m)[1]?.split(/^## /m)[0] ?? '';
  const ids = [...list.matchAll(/^(\d+)\. /gm)].map(([, number]) => `safety-${number}`);
  return { section: 'safety', title: 'Safety rules', ids: compressList(ids) };
}

/** Hotel rules: `- R7 …`, cited as `R7`. */
export function hotelSection(markdown: string): Section {
  const ids = [...markdown.matchAll(/^- (R\d+) /gm)].map(([, id = '']) => id);
  return { section: 'hotel', title: 'Hotel rules', ids: compressList(ids) };
}

/** The ledger's own index says how many rows each prefix has; a parser that misses some must not go unnoticed. */
function assertCounts(markdown: string, parts: string[]): void {
  const ids = unique(
    parts.flatMap(part => [...part.matchAll(/^(?:\| *|\*\*)([A-Z]+-\d+)\b/gm)].map(([, id = '']) => id)),
  );
  for (const [, prefix, rows] of markdown.matchAll(/^\| .+ \| `([A-Z]+)` \| (\d+) \|$/gm)) {
    const found = ids.filter(id => id.startsWith(`${prefix}-`)).length;
    if (found !== Number(rows))
      throw new Error(`the index promises ${rows} rows ${prefix}-nn, found ${found}`);
  }
}

function unique(ids: string[]): string[] {
  return [...new Set(ids)];
}
