import { chmod, mkdtemp, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const MEMORY = '/dev/shm';
const ENOUGH_BYTES = 4 * 1024 ** 3;

/**
 * Makes a folder that other accounts may pass through: PostgreSQL runs under its own when we are root. It lives in memory
 * where there is room: a database is two thousand files, and a disk takes seconds to make them.
 */
export async function memoryFolder(prefix: string): Promise<string> {
  return passableFolder(await memoryBase(), prefix);
}

/** The same on disk, for what grows by gigabytes. */
export function diskFolder(prefix: string): Promise<string> {
  return passableFolder(tmpdir(), prefix);
}

async function passableFolder(base: string, prefix: string): Promise<string> {
  const folder = await mkdtemp(join(base, prefix));
  await chmod(folder, 0o711);
  return folder;
}

/** Where {@link memoryFolder} makes its folders. */
export async function memoryBase(): Promise<string> {
  const room = await statfs(MEMORY).catch(() => undefined);
  return room !== undefined && room.bavail * room.bsize >= ENOUGH_BYTES ? MEMORY : tmpdir();
}
