/** A line that lets an enum grow in place (REG-07). */
export type EnumNote = { readonly subject: string; readonly value: string };

/** A line that plans the time in which two versions are published (REG-14, REG-20). */
export type Runbook = {
  readonly subject: string;
  readonly from: string;
  readonly until: string;
  readonly days: number;
};

/** A line that lets one schema pass against a rule, because of an incident (REG-21, X-081). */
export type Bypass = {
  readonly subject: string;
  readonly rule: string;
  readonly ticket: string;
  readonly hash: string;
};

/** What CHANGELOG.events.md says, and lines that look like an entry but are none. */
export type Changelog = {
  readonly enumNotes: readonly EnumNote[];
  readonly runbooks: readonly Runbook[];
  readonly bypasses: readonly Bypass[];
  readonly malformed: readonly { readonly line: number; readonly what: string }[];
};

const SUBJECT = '`([a-z0-9_.]+\\.v[0-9]+)`';
const DATE = '(\\d{4}-\\d{2}-\\d{2})';

const ENUM = new RegExp(`^- ${SUBJECT} [^\`]*\`[^\`]+\` may be \`([^\`]+)\`: \\S`);
const RUNBOOK = new RegExp(`^- ${SUBJECT} with ${SUBJECT} from ${DATE} until ${DATE}: \\S`);
const BYPASS = new RegExp(`^- ${SUBJECT} (REG-\\d{2}) (INC-\\d+) sha256-([0-9a-f]{12,64}): \\S`);

const sections = {
  'Enum values': {
    shape: '- `<subject>` `<field>` may be `<value>`: <what consumers do with it>',
    entry: ENUM,
  },
  'Dual publish': {
    shape: '- `<subject.v2>` with `<subject.v1>` from <date> until <date>: <who moves when>',
    entry: RUNBOOK,
  },
  Bypasses: { shape: '- `<subject>` <REG-nn> <INC-nnn> sha256-<hash>: <why>', entry: BYPASS },
} as const;

type SectionName = keyof typeof sections;

/** Reads the changelog: lists below its three headings, one entry per line. */
export function readChangelog(text: string): Changelog {
  const found: Record<SectionName, string[][]> = { 'Enum values': [], 'Dual publish': [], Bypasses: [] };
  const malformed: { line: number; what: string }[] = [];
  let section: SectionName | undefined;
  for (const [index, line] of text.split('\n').entries()) {
    const title = /^## (.+?)\s*$/.exec(line)?.[1];
    if (title !== undefined) section = Object.hasOwn(sections, title) ? (title as SectionName) : undefined;
    if (section === undefined || !line.startsWith('- ')) continue;
    const match = sections[section].entry.exec(line);
    if (match === null)
      malformed.push({ line: index + 1, what: `is not of the form ${sections[section].shape}` });
    else found[section].push(match.slice(1));
  }
  return {
    enumNotes: found['Enum values'].map(([subject = '', value = '']) => ({ subject, value })),
    runbooks: found['Dual publish'].map(([subject = '', , from = '', until = '']) => ({
      subject,
      from,
      until,
      days: (Date.parse(until) - Date.parse(from)) / 86_400_000,
    })),
    bypasses: found.Bypasses.map(([subject = '', rule = '', ticket = '', hash = '']) => ({
      subject,
      rule,
      ticket,
      hash,
    })),
    malformed,
  };
}
