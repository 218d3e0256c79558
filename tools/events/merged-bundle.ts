import { splitSubject } from '@ghasi/event-envelope/subject';
import type { Finding } from '../gates/gate.ts';
import { mergedTexts } from '../gates/merged.ts';
import type { Changelog } from './changelog.ts';
import { type Declared, evolutionFindings } from './evolution.ts';
import { latest, type ReleasedBundle, type ReleasedEvent, readReleased, releasedPath } from './released.ts';

/**
 * What became of the bundle since it was merged and is no release (REG-17, REG-19): a release keeps the rules too, so
 * whoever edits the bundle beside a breaking contract has to answer to the one before, or write the bypass down.
 */
export function mergedBundleFindings(
  root: string,
  { changelog, today }: { changelog: Changelog; today: string },
): { findings: Finding[]; used: string[] } {
  const now = readReleased(root);
  const events = Object.entries(now).map(declaredIn);
  const findings: Finding[] = [];
  const used: string[] = [];
  for (const text of mergedTexts(root, releasedPath)) {
    const released = JSON.parse(text) as ReleasedBundle;
    const judged = evolutionFindings({ released, events, changelog, today });
    const problems = [...judged.findings.map(({ what }) => what), ...earlier(now, released, changelog)];
    findings.push(...problems.map(what => ({ where: releasedPath, what: `${what} (since it was merged)` })));
    used.push(...judged.used);
  }
  const once = new Map(findings.map(finding => [finding.what, finding]));
  return { findings: [...once.values()], used: [...new Set(used)] };
}

function declaredIn([subject, { publishesOlderUntil, ...event }]: [string, ReleasedEvent]): Declared {
  const { type, version } = splitSubject(subject);
  const publishesOlder = publishesOlderUntil !== undefined;
  return { ...event, subject, type, version, publishesOlder, where: releasedPath };
}

/** REG-14: what was promised until a day is not promised until an earlier one. */
function earlier(now: ReleasedBundle, released: ReleasedBundle, { runbooks }: Changelog): string[] {
  return Object.entries(now).flatMap(([subject, { publishesOlderUntil: until }]) => {
    const planned = runbooks.find(entry => entry.subject === subject)?.until;
    const promised = latest(released[subject]?.publishesOlderUntil ?? '', planned);
    if (until === undefined || until >= promised) return [];
    return [`REG-14: ${subject}: the version before was promised until ${promised}, and it says ${until}`];
  });
}
