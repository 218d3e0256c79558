import { Command, InvalidArgumentError } from 'commander';
import type { DescribeFlags } from './commands/describe.ts';
import type { DoctorFlags } from './commands/doctor.ts';
import type { MigrateFlags } from './commands/migrate.ts';
import type { SeedFlags } from './commands/seed.ts';
import type { StartFlags } from './commands/start.ts';
import type { StoredFlags } from './commands/stored.ts';
import { addJobCommands } from './job-commands.ts';
import { addMessageCommands } from './message-commands.ts';

/**
 * The `melm` command; the reference page is generated from this. Each command is loaded when it runs: all services
 * together take over a second to load, and `--help` needs none of them.
 */
export function program(): Command {
  const melm = new Command('melm')
    .description('Runs and inspects a Melmastoon installation')
    .showHelpAfterError('(melm --help shows all commands)')
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2));
  const dataDir = ['--data-dir <folder>', 'folder of the embedded database (default: .melmastoon)'] as const;
  const json = ['--json', 'print JSON for programs'] as const;

  melm
    .command('start')
    .description('start the platform: database, services, workers and HTTP, with demo hotels')
    .option('--port <number>', 'port of the HTTP server (default: 4000; 0 takes a free one)', port)
    .option(...dataDir)
    .option('--reset', 'remove the embedded database first')
    .option('--no-demo', 'do not fill the demo hotels in')
    .action(async (flags: StartFlags) => (await import('./commands/start.ts')).startCommand(flags));
  melm
    .command('migrate')
    .description(
      'bring the database up to date, read for up to two minutes what is stored, and stop; exit 1 and list what this release cannot read',
    )
    .option('--unread-anyway <reason>', 'exit 0 nevertheless: what cannot be read becomes dead letters')
    .option('--actor <name>', 'who decided that, for the audit trail (default: you@this-machine)')
    .option(...dataDir)
    .option(...json)
    .action(async (flags: MigrateFlags) => (await import('./commands/migrate.ts')).migrateCommand(flags));
  melm
    .command('seed')
    .description('fill the demo hotels in and stop; running it twice changes nothing')
    .option(...dataDir)
    .option(...json)
    .action(async (flags: SeedFlags) => (await import('./commands/seed.ts')).seed(flags));
  melm
    .command('describe')
    .description(
      'list what services own, say and to whom, hear, answer, need and run, with their routes; exit 1 where they do not fit together',
    )
    .argument('[service]', 'only this service')
    .option(...json)
    .action(async (service: string | undefined, flags: DescribeFlags) =>
      (await import('./commands/describe.ts')).describe(service, flags),
    );
  melm
    .command('doctor')
    .description('compare the database with this release; exit 1 and print the repair when they differ')
    .option(...dataDir)
    .option(...json)
    .action(async (flags: DoctorFlags) => (await import('./commands/doctor.ts')).doctor(flags));
  melm
    .command('stored')
    .description(
      'read every event and waiting job that is stored with this release; exit 1 and list those it could not read',
    )
    .option(...dataDir)
    .option(...json)
    .action(async (flags: StoredFlags) => (await import('./commands/stored.ts')).stored(flags));
  addMessageCommands(melm);
  addJobCommands(melm);
  return melm;
}

function port(text: string): number {
  const number = Number(text);
  if (!/^\d+$/.test(text) || number > 65_535)
    throw new InvalidArgumentError('A port is a number from 0 to 65535.');
  return number;
}
