import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const HOMES = ['/usr/lib/postgresql', '/opt/homebrew/opt', '/usr/local/opt'];
const PROGRAMS = ['initdb', 'postgres', 'pg_dump', 'pg_dumpall', 'pg_restore', 'psql'];

/**
 * A PostgreSQL of this machine's own, the oldest that is 15 or newer: its version and the folder of its programs. Unlike the
 * one from npm it has `pg_dump`, and it is as old as users may have it. Undefined where there is none.
 */
export function installedPostgres(): { major: number; folder: string } | undefined {
  const found = HOMES.filter(existsSync).flatMap(home =>
    readdirSync(home).map(name => ({
      major: Number(/\d+$/.exec(name)?.[0]),
      folder: join(home, name, 'bin'),
    })),
  );
  return found
    .filter(({ major, folder }) => major >= 15 && PROGRAMS.every(name => existsSync(join(folder, name))))
    .sort((a, b) => a.major - b.major)[0];
}
