import type { Command } from 'commander';
import type { CutFlags } from './commands/cut.ts';
import type { LetterFlags } from './commands/dlq.ts';
import type { Decision, SettleFlags } from './commands/dlq-settle.ts';
import type { ChangeFlags, LookFlags } from './commands/given.ts';
import type { InboxClearFlags } from './commands/inbox.ts';
import type { OperationsFlags } from './commands/operations.ts';
import type { ReplayFlags } from './commands/replay.ts';
import type { RepublishFlags } from './commands/republish.ts';
import type { SeekFlags } from './commands/seek.ts';
import type { SubscriptionDropFlags } from './commands/subscriptions-drop.ts';

/** Adds the commands that look at messages on their way and decide about them. */
export function addMessageCommands(melm: Command): void {
  addOutbox(melm);
  addSubscriptions(melm);
  addDlq(melm);
  changing(melm.command('seek'))
    .description(
      'deliver to a service again what was published since a moment, or leave out what it has not read',
    )
    .argument('<service>', 'the service that consumes')
    .requiredOption('--to <moment>', '2026-03-21T08:00:00Z, start or end')
    .action(async (service: string, flags: SeekFlags) =>
      (await import('./commands/seek.ts')).seekCommand(service, flags),
    );
  changing(melm.command('replay'))
    .description('publish a range of events once more, for one service only; ids and order stay as they were')
    .requiredOption('--to <service>', 'the service that gets them')
    .requiredOption('--since <moment>', 'published from this moment on')
    .option('--until <moment>', 'published before this moment')
    .option('--topic <subject>', 'only this event; default: all it listens to')
    .option(
      '--idempotency-safe',
      'insist that the inbox knows the whole range (30 days), also with --rebuildable',
    )
    .option('--rebuildable', 'the service rebuilds from nothing: allow what its inbox has forgotten')
    .action(async (flags: ReplayFlags) => (await import('./commands/replay.ts')).replay(flags));
  changing(melm.command('republish'))
    .description(
      'publish once more, for every service, what was published since a moment; for a broker that cannot go back in time',
    )
    .requiredOption('--since <moment>', 'published from this moment on, at most 7 days ago')
    .action(async (flags: RepublishFlags) => (await import('./commands/republish.ts')).republish(flags));
  changing(melm.command('inbox').description('what a consumer remembers').command('clear'))
    .description(
      'have a consumer forget events, so that a seek or replay runs its mended handler on them again',
    )
    .argument('<consumer>', 'e.g. inventory-service.booking-confirmed')
    .requiredOption('--since <moment>', 'events published from this moment on')
    .option('--until <moment>', 'events published before this moment')
    .option('--topic <subject>', 'only this event')
    .action(async (consumer: string, flags: InboxClearFlags) =>
      (await import('./commands/inbox.ts')).inboxClear(consumer, flags),
    );
  looking(melm.command('operations'))
    .description(
      'list who replayed, skipped, moved or removed what and why, the latest first; of a tenant also what was done for all',
    )
    .option('--since <moment>', 'done from this moment on')
    .option(...limit)
    .action(async (flags: OperationsFlags) => (await import('./commands/operations.ts')).operations(flags));
}

/** How many rows every list shows. */
export const limit = ['--limit <number>', 'most rows (default: 50; with --json all)'] as const;

function addOutbox(melm: Command): void {
  const group = melm.command('outbox').description('what waits to be published');
  looking(group.command('status', { isDefault: true }))
    .description('list every outbox: rows that wait, since when, and rows in quarantine')
    .action(async (flags: LookFlags) => (await import('./commands/outbox.ts')).outbox(flags));
  looking(group.command('quarantine'))
    .description('list rows that could not be published and wait for a decision')
    .argument('[service]', 'only this service')
    .option('--topic <subject>', 'only this event')
    .option(...limit)
    .action(async (service: string | undefined, flags: LookFlags & CutFlags) =>
      (await import('./commands/outbox.ts')).outboxQuarantine(service, flags),
    );
  changing(group.command('release'))
    .description('publish quarantined rows after all, or close them with --skip; their keys go on')
    .argument('<service>', 'the service that published them')
    .argument('[numbers...]', 'from melm outbox quarantine')
    .option('--all', 'every row that matches')
    .option('--topic <subject>', 'only this event')
    .option('--skip', 'close them without publishing')
    .action(async (service: string, numbers: string[], flags: ChangeFlags) =>
      (await import('./commands/outbox.ts')).outboxRelease(service, numbers, flags),
    );
}

function addSubscriptions(melm: Command): void {
  const group = melm.command('subscriptions').description('who consumes');
  looking(group.command('list', { isDefault: true }))
    .description('list who consumes, how far behind each is, and what waits for a decision')
    .action(async (flags: LookFlags) => (await import('./commands/subscriptions.ts')).subscriptions(flags));
  audited(common(group.command('drop')))
    .description(
      'remove the subscription of a service that was renamed or listens no more, and let the log go on without it',
    )
    .argument('<service>', 'the service that consumed')
    .option('--with-letters', 'also where dead letters wait for a decision; copies are kept as skipped')
    .action(async (service: string, flags: SubscriptionDropFlags) =>
      (await import('./commands/subscriptions-drop.ts')).subscriptionsDrop(service, flags),
    );
}

function addDlq(melm: Command): void {
  const group = melm.command('dlq').description('dead letters: messages a service gave up on');
  const filtered = (command: Command) =>
    command
      .option('--topic <subject>', 'only this event, with or without .dlq')
      .option('--subscription <service>', 'only what this service gave up on')
      .option('--since <moment>', 'given up from this moment on')
      .option('--until <moment>', 'given up before this moment');
  filtered(looking(group.command('list')))
    .description('list dead letters, the one that has waited longest first')
    .option(...limit)
    .option('--settled', 'list instead what was skipped or quarantined')
    .action(async (flags: LetterFlags) => (await import('./commands/dlq.ts')).dlqList(flags));
  filtered(looking(group.command('show')))
    .description('show one whole: envelope, last error, what waits behind it, and what to type next')
    .argument('[id]', 'from melm dlq list; default: the one that has waited longest')
    .action(async (id: string | undefined, flags: LetterFlags) =>
      (await import('./commands/dlq.ts')).dlqShow(id, flags),
    );
  const decisions: [Decision, string][] = [
    ['replay', 'try dead letters again, in place: first the one that failed, then those behind it'],
    ['skip', 'leave dead letters out and let their keys go on; a copy is kept'],
    ['quarantine', 'take out dead letters that must never be applied; a copy is kept'],
  ];
  for (const [decision, description] of decisions) {
    const command = filtered(changing(group.command(decision)))
      .description(description)
      .argument('[ids...]', 'from melm dlq list')
      .option('--all', 'every one that matches the filters')
      .action(async (ids: string[], flags: SettleFlags) =>
        (await import('./commands/dlq-settle.ts')).dlqSettle(decision, ids, flags),
      );
    if (decision === 'replay')
      command.option('--idempotency-safe', 'always so: the inbox knows what was applied; kept for scripts');
  }
}

function common(command: Command): Command {
  return command
    .option('--data-dir <folder>', 'folder of the embedded database (default: .melmastoon)')
    .option('--json', 'print JSON for programs');
}

/** Flags of every command that looks at what is on its way. */
export function looking(command: Command): Command {
  return common(command.option('--tenant <uuid>', 'only this tenant'));
}

function audited(command: Command): Command {
  return command
    .option('--reason <text>', 'why, for the audit trail; needed unless --dry-run')
    .option('--actor <name>', 'who, for the audit trail (default: you@this-machine)')
    .option('--dry-run', 'say what would happen and change nothing');
}

/** Flags of every command that changes it. */
export function changing(command: Command): Command {
  return audited(looking(command));
}
