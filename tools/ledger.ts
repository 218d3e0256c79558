import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { flagsOf } from '@ghasi/testing/flags';
import { isStarted, repositoryRoot } from './gates/gate.ts';
import { coverage } from './ledger/coverage.ts';
import { compressList } from './ledger/id-list.ts';
import { hotelSection, ledgerSections, type Section, safetySection } from './ledger/requirements.ts';
import { testTitles } from './ledger/test-titles.ts';

const idsPath = 'docs/reference/ledger-ids.json';

/** Below this many titles the scan has gone blind. */
const titleFloor = 600;

/** Rewrites the committed list of ids from the requirement documents, which live outside the repository. */
export function refresh(root: string, shared: string): Section[] {
  const read = (path: string) => readFileSync(join(shared, path), 'utf8');
  const sections = [
    ...ledgerSections(read('spec/requirements.md')),
    safetySection(read('safety-rules.md')),
    hotelSection(read('hotel-rules.md')),
  ];
  mkdirSync(dirname(join(root, idsPath)), { recursive: true });
  // one section per line: a diff shows which section grew
  const lines = sections.map(section => `  ${spaced(section)}`).join(',\n');
  writeFileSync(join(root, idsPath), `[\n${lines}\n]\n`);
  return sections;
}

/** What is proven, section by section, and which titles cite ids that do not exist. */
export function report(root: string) {
  const sections = JSON.parse(readFileSync(join(root, idsPath), 'utf8')) as Section[];
  const titles = testTitles(root);
  return { titles: titles.length, ...coverage(sections, titles) };
}

function main(): void {
  const { values } = flagsOf('npm run ledger -- [--unproven] [--json] [--refresh [--shared folder]]', {
    options: {
      refresh: { type: 'boolean', default: false },
      unproven: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      root: { type: 'string', default: repositoryRoot },
      shared: { type: 'string', default: join(repositoryRoot, '../shared') },
      floor: { type: 'string', default: String(titleFloor) },
    },
  });
  const root = resolve(values.root);
  if (values.refresh) {
    if (!existsSync(values.shared))
      throw new Error(`no requirement documents at ${values.shared}; pass --shared <folder>`);
    refresh(root, values.shared);
  }
  const { titles, bySection, wrong } = report(root);
  if (values.json) console.log(JSON.stringify({ titles, sections: bySection, wrong }, null, 2));
  else print(bySection, values.unproven);
  for (const { path, line, cited } of wrong)
    console.error(`  ${path}:${line}  cites ${cited}, which does not exist`);
  const starved = titles < Number(values.floor);
  if (!values.json) {
    const doubt = starved ? `, fewer than the floor of ${values.floor}: not believed` : '';
    console.log(`ledger: looked at ${titles} test titles, ${wrong.length} wrong citations${doubt}`);
  }
  process.exitCode = wrong.length > 0 || starved ? 1 : 0;
}

function print(sections: ReturnType<typeof report>['bySection'], listUnproven: boolean): void {
  const width = Math.max(...sections.map(({ title }) => title.length));
  for (const { section, title, total, proven, unproven } of sections) {
    console.log(
      `${section.padStart(6)}  ${title.padEnd(width)}  ${String(proven.length).padStart(4)} / ${total}`,
    );
    if (listUnproven && unproven.length > 0) console.log(`        unproven: ${compressList(unproven)}`);
  }
  const sum = (count: (section: (typeof sections)[number]) => number) =>
    sections.reduce((all, one) => all + count(one), 0);
  const provenRows = sum(({ proven }) => proven.length);
  console.log(
    `${''.padStart(6)}  ${'all'.padEnd(width)}  ${String(provenRows).padStart(4)} / ${sum(({ total }) => total)}`,
  );
}

/** JSON of one section as biome formats it. */
function spaced({ section, title, ids }: Section): string {
  return `{ "section": ${JSON.stringify(section)}, "title": ${JSON.stringify(title)}, "ids": ${JSON.stringify(ids)} }`;
}

if (isStarted(import.meta.url)) main();
