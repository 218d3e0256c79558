import { expandList, expandRange } from './id-list.ts';
import type { Section } from './requirements.ts';
import type { TestTitle } from './test-titles.ts';

/** How much of one section has a test that says so. */
export type SectionCoverage = {
  section: string;
  title: string;
  total: number;
  proven: string[];
  unproven: string[];
};

/** A title that cites something the requirements do not have. */
export type WrongCitation = { path: string; line: number; cited: string };

/** Names of standards that look like ids. */
const standards = new Set([
  'AES',
  'CRC',
  'CVE',
  'ED',
  'ES',
  'HS',
  'HTTP',
  'ISO',
  'MD',
  'P',
  'RFC',
  'RS',
  'SHA',
  'TLS',
  'UTF',
  'UUID',
  'WS',
]);

/** Compares what titles cite with what is required. */
export function coverage(sections: Section[], titles: TestTitle[]) {
  const known = new Set(sections.flatMap(({ ids }) => expandList(ids)));
  const cited = new Set<string>();
  const wrong: WrongCitation[] = [];
  for (const { path, line, title } of titles) {
    for (const id of citationsIn(title)) {
      if (known.has(id)) cited.add(id);
      else wrong.push({ path, line, cited: id });
    }
  }
  const bySection = sections.map(({ section, title, ids }): SectionCoverage => {
    const all = expandList(ids);
    const proven = all.filter(id => cited.has(id));
    return { section, title, total: all.length, proven, unproven: all.filter(id => !cited.has(id)) };
  });
  return { bySection, wrong };
}

/** Every id a title cites; ranges come out one by one, a range that cannot be read as it stands. */
export function citationsIn(title: string): string[] {
  const shapes =
    /\b(?:[A-Z]{1,8}-|safety-)\d+(?:\.\.(?:[A-Z]{1,8}-|safety-)?\d+)?|\bR\d{1,2}(?:\.\.R?\d+)?\b/g;
  return [...title.matchAll(shapes)].flatMap(([text]) => {
    if (standards.has(/^[A-Z]+/.exec(text)?.[0] ?? '') && text.includes('-')) return [];
    try {
      return expandRange(text);
    } catch {
      return [text];
    }
  });
}
