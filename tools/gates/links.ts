import { existsSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { type Finding, type Gate, type GateReport, isStarted, runGate } from './gate.ts';
import { readText, repositoryFiles } from './tree.ts';

type Link = { path: string; line: number; target: string };

/** Links between our own pages lead somewhere: to a file, and to a heading when they name one. */
export const links: Gate = {
  name: 'links',
  floor: 450,
  async check(root): Promise<GateReport> {
    const pages = repositoryFiles(root).filter(path => path.endsWith('.md'));
    const found = pages.flatMap(path => linksOf(path, readText(root, path)));
    const local = found.filter(({ target }) => !/^[a-z][a-z+.-]*:/i.test(target));
    const findings = local.flatMap(link => {
      const what = problem(root, link);
      return what === undefined ? [] : [{ where: `${link.path}:${link.line}`, what } satisfies Finding];
    });
    return { looked: local.length, of: `links in ${pages.length} pages`, findings };
  },
};

function linksOf(path: string, text: string): Link[] {
  const prose = text.replace(/^(```|~~~)[\s\S]*?^\1/gm, block => block.replace(/[^\n]/g, ' '));
  return prose.split('\n').flatMap((line, index) => {
    const withoutCode = line.replace(/`[^`]*`/g, '');
    const targets = [
      ...withoutCode.matchAll(/\]\(\s*<?([^)\s>]+)>?[^)]*\)|\b(?:src|href)="([^"]+)"|^\[[^\]]+\]:\s+(\S+)/g),
    ];
    return targets.map(match => ({ path, line: index + 1, target: match[1] ?? match[2] ?? match[3] ?? '' }));
  });
}

function problem(root: string, { path, target }: Link): string | undefined {
  const [file = '', heading] = decodeURIComponent(target).split('#');
  const page =
    file === '' ? path : normalize(file.startsWith('/') ? file.slice(1) : join(dirname(path), file));
  if (page.startsWith('..')) return `${target} leaves the repository`;
  if (!existsSync(join(root, page))) return `${target} leads nowhere`;
  if (heading === undefined || heading === '' || !page.endsWith('.md')) return undefined;
  if (statSync(join(root, page)).isDirectory()) return undefined;
  return headingsOf(readText(root, page)).has(heading) ? undefined : `${target} names no heading of ${page}`;
}

/** Anchors as GitHub makes them: lower case, punctuation dropped, spaces to dashes, doubles numbered. */
function headingsOf(text: string): Set<string> {
  const anchors = new Set<string>();
  for (const [, title = ''] of text.matchAll(/^#{1,6}\s+(.+?)\s*#*$/gm)) {
    const words = title.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const anchor = words.replace(/[^\p{L}\p{N}\s_-]/gu, '').replace(/\s/g, '-');
    let unique = anchor;
    for (let count = 1; anchors.has(unique); count += 1) unique = `${anchor}-${count}`;
    anchors.add(unique);
  }
  return anchors;
}

if (isStarted(import.meta.url)) await runGate(links);
