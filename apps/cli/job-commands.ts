import type { Command } from 'commander';
import type { CutFlags } from './commands/cut.ts';
import type { JobFlags } from './commands/jobs.ts';
import type { JobDecideFlags, JobDecision } from './commands/jobs-decide.ts';
import { changing, limit, looking } from './message-commands.ts';

/** Adds the commands that look at background jobs and decide about them. */
export function addJobCommands(melm: Command): void {
  const group = melm.command('jobs').description('background jobs: what was given up, what waits');
  const narrowed = (command: Command) =>
    command.option('--type <job>', 'only this one, e.g. iam.purge-sessions');
  narrowed(looking(group.command('list')))
    .description('list jobs, the oldest first; without --status those that were given up')
    .option('--status <status>', 'pending, running, completed, failed, canceled or dead_letter (default)')
    .option(...limit)
    .action(async (flags: JobFlags & CutFlags) => (await import('./commands/jobs.ts')).jobsList(flags));
  const decisions: [JobDecision, string][] = [
    ['retry', 'run jobs again now that were given up or canceled, or wait for their next run'],
    ['cancel', 'end jobs that have not ended; a run in progress saves nothing any more'],
  ];
  for (const [decision, description] of decisions) {
    const command = narrowed(changing(group.command(decision)))
      .description(description)
      .argument('[ids...]', 'from melm jobs list')
      .action(async (ids: string[], flags: JobDecideFlags) =>
        (await import('./commands/jobs-decide.ts')).jobsDecide(decision, ids, flags),
      );
    if (decision === 'retry') command.option('--all', 'every one that was given up and matches');
  }
}
