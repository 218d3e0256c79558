import { writeFile } from 'node:fs/promises';
import { flagsOf, refuseFlags } from '@ghasi/testing/flags';
import { launchBrowser } from '@melmastoon/booking-web/fixtures/browser';
import { slugs, startPlatform } from '../platform.ts';
import { type Visit, visitOnBadLine } from './bad-line.ts';

// The booking site of the real server in a browser behind a bad line. Exits
// with 1 when a target is missed.

const REPORT = new URL('../../docs/reference/line-400kbps.md', import.meta.url);
const locales = ['en', 'ps', 'fa-AF'];

const usage = 'npm run measure:line -- [--rounds n] [--json] [--write]';
const { values } = flagsOf(usage, {
  options: {
    rounds: { type: 'string', default: '3' },
    json: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
  },
});
const rounds = Number(values.rounds);
if (!(rounds >= 1 && rounds <= 20)) refuseFlags(usage);
const visits = await run();
const judged = judge(visits);
console.log(values.json ? JSON.stringify({ visits, judged }) : [targetTable(), visitTable()].join('\n\n'));
if (values.write) await writeFile(REPORT, page());
process.exitCode = judged.every(({ met }) => met) ? 0 : 1;

async function run(): Promise<Visit[]> {
  console.error('line: starting PostgreSQL, the server and a browser');
  const platform = await startPlatform();
  try {
    const browser = await launchBrowser();
    try {
      const seen: Visit[] = [];
      for (let round = 1; round <= rounds; round++) {
        for (const locale of locales) {
          const visit = await visitOnBadLine(browser, `${platform.url}/t/${slugs[0]}/${locale}`, locale);
          console.error(
            `line: round ${round}/${rounds}, ${locale}: usable after ${visit.usable.toFixed(0)} ms`,
          );
          seen.push(visit);
        }
      }
      return seen;
    } finally {
      await browser.close();
    }
  } finally {
    await platform.stop();
  }
}

/** The worst visit counts. */
function judge(seen: readonly Visit[]) {
  const worst = (of: (visit: Visit) => number) => Math.max(...seen.map(of));
  const [firstByte, usable, script] = [
    worst(one => one.firstByte),
    worst(one => one.usable),
    worst(one => one.script),
  ];
  return [
    { what: 'first byte', target: 'under 800 ms', seen: `${firstByte.toFixed(0)} ms`, met: firstByte < 800 },
    { what: 'search usable', target: 'under 4 s', seen: `${usable.toFixed(0)} ms`, met: usable < 4_000 },
    {
      what: 'script from search to guest details, compressed',
      target: 'at most 90 KB',
      seen: kb(script),
      met: script > 0 && script <= 90 * 1_024, // none at all: nobody looked
    },
  ];
}

function targetTable(): string {
  const rows = judged.map(
    ({ what, target, seen, met }) => `| ${what} | ${target} | ${seen} | ${met ? 'met' : '**missed**'} |`,
  );
  return ['| Worst of all visits | Target | Seen | |', '|---|---|---|---|', ...rows].join('\n');
}

function visitTable(): string {
  const rows = locales.map(locale => {
    const same = visits.filter(visit => visit.locale === locale);
    const ms = (of: (visit: Visit) => number) => `${median(same.map(of)).toFixed(0)} ms`;
    const size = (of: (visit: Visit) => number) => kb(median(same.map(of)));
    return `| ${locale} | ${[ms(v => v.firstByte), ms(v => v.firstPaint), ms(v => v.usable), ms(v => v.calendar), ms(v => v.rooms), ms(v => v.details), size(v => v.html), size(v => v.script)].join(' | ')} |`;
  });
  return [
    '| Median | First byte | First paint | Search usable | Date grid | Rooms | Guest details | HTML | Script |',
    '|---|---|---|---|---|---|---|---|---|',
    ...rows,
  ].join('\n');
}

function page(): string {
  return `# The booking site on a bad line

Written by \`npm run measure:line -- --write\` on ${new Date().toISOString().slice(0, 10)}: Chromium as a phone, 400 kbit/s both ways, 400 ms of latency on
every request, nothing cached, no service worker; the site of a demo hotel on the real server with its own PostgreSQL. ${rounds}
visits in each language, the first of them to a server that has just started.

${targetTable()}

${visitTable()}

Rooms: from sending the search to rooms with prices. Guest details: from choosing a room to the form, which is a draft with
a frozen price and a redirect, so two trips. Sizes are as sent (Brotli or gzip); script is every file from the search to the guest details,
each once.
`;
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((one, other) => one - other)[numbers.length >> 1] ?? 0;
}

function kb(bytes: number): string {
  return `${(bytes / 1_024).toFixed(1)} KB`;
}
