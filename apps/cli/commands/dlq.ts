import {
  type DeadLetter,
  type LetterFilter,
  listDeadLetters,
  listSettledLetters,
  type SettledLetter,
  type Shown,
  showDeadLetter,
} from '@ghasi/brokers/operations/dead-letters';
import { look } from '@ghasi/brokers/operations/operation';
import { findSubscription } from '@ghasi/brokers/operations/subscriptions';
import type { Database } from '@ghasi/db/database';
import { type CutFlags, cut, limitOf, oneMore } from './cut.ts';
import { type LookFlags, numberOf, spanOf, tenantOf } from './given.ts';
import { age, counted, oneLine, quoted, room, second, shortKey, whose } from './said.ts';
import { BELOW, table } from './table.ts';
import { topicOf } from './topics.ts';
import { withRelay } from './with-relay.ts';

/** Flags that choose dead letters. */
export type LetterFlags = LookFlags & {
  topic?: string;
  subscription?: string;
  since?: string;
  until?: string;
};

/** Lists what subscriptions gave up on, or with `--settled` what somebody took out for good. */
export async function dlqList(flags: LetterFlags & CutFlags & { settled?: boolean }): Promise<void> {
  const limit = limitOf(flags);
  await withRelay(flags, async db => {
    const filter = { ...(await letterFilter(db, [], flags)), ...oneMore(limit) };
    if (flags.settled) {
      const { rows, more } = cut(await listSettledLetters(db, filter), limit);
      console.log(flags.json ? JSON.stringify(rows) : settledTable(rows) + more);
    } else {
      const { rows, more } = cut(await listDeadLetters(db, filter), limit);
      console.log(flags.json ? JSON.stringify(rows) : letterTable(rows, more));
    }
  });
}

/** Shows one message whole: what it is, why it failed, what waits behind it, and what to type next (DLQ-13). */
export async function dlqShow(id: string | undefined, flags: LetterFlags): Promise<void> {
  const shown = await withRelay(flags, async db =>
    showDeadLetter(db, await letterFilter(db, id === undefined ? [] : [id], flags)),
  );
  console.log(
    flags.json ? JSON.stringify({ ...shown, envelope: JSON.parse(shown.envelope) }) : letterText(shown),
  );
}

/** The filter of the flags, with subscription and topic checked: a misspelt one must not look like "none". */
export async function letterFilter(
  db: Database,
  ids: readonly string[],
  flags: LetterFlags,
): Promise<LetterFilter> {
  const { subscription, topic } = flags;
  return {
    ...tenantOf(flags),
    ...spanOf(flags),
    ...(ids.length === 0 ? {} : { ids: ids.map(id => numberOf('The id', id)) }),
    ...(topic === undefined ? {} : { topic: await topicOf(db, topic) }),
    ...(subscription === undefined
      ? {}
      : { subscription: await look(db, tx => findSubscription(tx, subscription)) }),
  };
}

/** Dead letters as a person reads them. */
export function letterTable(letters: readonly DeadLetter[], more = ''): string {
  if (letters.length === 0) return 'No dead letters.';
  const lines = table(
    letters,
    ({ id, topic, subscription, attempts, waiting, deadSeconds }) => ({
      ...{ id, topic, subscription, attempts, waiting, age: age(deadSeconds) },
    }),
    ({ error, tenantId, orderingKey }) => [oneLine(error, room(BELOW)), whose(tenantId, orderingKey)],
  );
  const [{ id, subscription }] = letters as [DeadLetter];
  return `${lines}${more}\n\nLook at one: melm dlq show ${id} --subscription ${subscription}`;
}

function settledTable(letters: readonly SettledLetter[]): string {
  if (letters.length === 0) return 'Nothing was skipped or quarantined.';
  return table(
    letters,
    ({ id, how, topic, subscription, settledAt }) => ({
      ...{ id, how, topic, subscription, at: second(settledAt) },
    }),
    ({ settledBy, reason, tenantId, orderingKey }) => [
      oneLine(`${settledBy}: ${reason}`, room(BELOW)),
      whose(tenantId, orderingKey),
    ],
  );
}

function letterText(letter: Shown<DeadLetter> | Shown<SettledLetter>): string {
  const isDead = 'deadAt' in letter;
  const title = isDead ? 'Dead letter' : letter.how === 'skipped' ? 'Skipped message' : 'Quarantined message';
  const facts = [
    ['topic', letter.topic],
    ['event', letter.eventId],
    ['tenant', letter.tenantId],
    ['key', shortKey(letter.orderingKey, letter.tenantId)],
    ['published', letter.publishedAt.toISOString()],
    [
      'attempts',
      isDead ? `${letter.attempts}, given up ${age(letter.deadSeconds)} ago` : String(letter.attempts),
    ],
    ...(isDead
      ? []
      : [
          [
            'settled',
            `${letter.settledAt.toISOString()} by ${oneLine(letter.settledBy)}: ${oneLine(letter.reason)}`,
          ],
        ]),
    ['last error', oneLine(letter.error, 2_000)],
    ...(isDead ? [['behind it', behindText(letter)]] : []),
  ];
  return [
    `${title} ${letter.id} of ${letter.subscription}`,
    '',
    ...facts.map(([name = '', value]) => `  ${name.padEnd(10)}  ${value}`),
    '',
    JSON.stringify(JSON.parse(letter.envelope), undefined, 2),
    ...(isDead ? ['', ...nextSteps(letter)] : []),
  ].join('\n');
}

function behindText({ waiting, behind }: Shown<DeadLetter>): string {
  if (waiting === 0) return 'nothing waits for it';
  const lines = behind.map(({ id, topic, eventId }) => `\n              ${id}  ${topic}  ${eventId}`);
  const more = waiting > behind.length ? `\n              … and ${waiting - behind.length} more` : '';
  return `${counted(waiting, 'message')} of the same key${lines.join('')}${more}`;
}

/** The steps of the runbook: drift and outages are mended first, an impossible message never comes back. */
function nextSteps({ id, subscription }: DeadLetter): string[] {
  const command = (verb: string, reason: string) =>
    `melm dlq ${verb} ${id} --subscription ${quoted(subscription)} --reason ${quoted(reason)}`;
  return [
    'Next, once you know why it failed (docs/how-to/read-dead-letters.md):',
    `  mended, or the vendor is back   ${command('replay', 'INC-… mended in …')}`,
    `  it can never be applied         ${command('quarantine', 'INC-… impossible state')}`,
    `  it does not matter              ${command('skip', 'INC-… no effect wanted')}`,
  ];
}
