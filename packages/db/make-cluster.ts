import { spawn } from 'node:child_process';
import { chown, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { asUser, type Binaries, type SystemUser } from './embedded-binaries.ts';
import { dbErrors } from './errors.ts';

type Making = {
  bin: Binaries;
  dataDir: string;
  password: string;
  user: SystemUser | undefined;
  signal: AbortSignal | undefined;
};

const forced = { recursive: true, force: true } as const;

/**
 * Makes an empty cluster. It is made in a folder beside its own and moved when it is whole: initdb writes `PG_VERSION` first, and
 * a machine that loses its power then would keep half a cluster that no start could tell from a whole one.
 */
export async function makeCluster({ bin, dataDir, password, user, signal }: Making): Promise<void> {
  await removeUnfinished(dataDir);
  const made = `${dataDir}.new-${process.pid}`;
  const passwordFile = `${made}.pw`;
  try {
    await mkdir(made, { mode: 0o700 });
    await writeFile(passwordFile, password, { mode: 0o600 });
    if (user) for (const path of [made, passwordFile]) await chown(path, user.uid, user.gid);
    const args = ['-D', made, '-U', 'postgres', `--pwfile=${passwordFile}`, '--auth=scram-sha-256'];
    args.push('--encoding=UTF8', ...bin.locale, '--no-instructions');
    const child = spawn(bin.initdb, args, { ...asUser(user), stdio: ['ignore', 'ignore', 'pipe'] });
    let complaint = '';
    child.stderr.on('data', chunk => (complaint += chunk));
    const onTold = () => child.kill();
    signal?.addEventListener('abort', onTold);
    const code = await new Promise<number | null>((resolve, reject) =>
      child.once('error', reject).once('close', resolve),
    ).finally(() => signal?.removeEventListener('abort', onTold));
    signal?.throwIfAborted();
    if (code !== 0) throw dbErrors.EMBEDDED_FAILED({ reason: `initdb: ${complaint.trim()}` });
    await rm(dataDir, forced);
    await rename(made, dataDir);
  } finally {
    await rm(made, forced);
    await rm(passwordFile, forced);
  }
}

/** What a killed start left; an initdb that outlived it may still write there, and fails for it. */
async function removeUnfinished(dataDir: string): Promise<void> {
  const beside = dirname(dataDir);
  const unfinished = (await readdir(beside)).filter(name => name.startsWith(`${basename(dataDir)}.new-`));
  for (const name of unfinished) await rm(join(beside, name), forced).catch(() => {});
}
