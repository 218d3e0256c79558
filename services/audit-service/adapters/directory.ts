import { randomUUID } from 'node:crypto';
import { link, mkdir, open, readFile, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { TenantId } from '@ghasi/domain-primitives/ids';
import type { LocalDate } from '@ghasi/domain-primitives/local-date';
import { type AnchorMedium, RootTaken, recordOf } from '../anchor.ts';

/**
 * Keeps one file per tenant and day in a directory: a mount of somebody else's machine, a share with retention, or a
 * disk that is carried away. Files are never written twice and are not writable afterwards.
 */
export function directoryMedium(directory: string): AnchorMedium {
  const fileOf = (tenantId: TenantId, day: LocalDate) => join(directory, tenantId, `${day}.json`);
  const read = async (tenantId: TenantId, day: LocalDate) => {
    try {
      return (await readFile(fileOf(tenantId, day), 'utf8')).trimEnd();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  };
  return {
    medium: 'write_once_storage',
    async put(_ctx, tenantId, root) {
      const folder = join(directory, tenantId);
      await mkdir(folder, { recursive: true });
      const record = recordOf(tenantId, root);
      await writeOnce(folder, `${root.day}.json`, `${record}\n`);
      if ((await read(tenantId, root.day)) !== record) throw new RootTaken(tenantId, root.day);
      return `file:${tenantId}/${root.day}.json`;
    },
    read: (_ctx, tenantId, day) => read(tenantId, day),
  };
}

/** All of a file or nothing, and never over another: a crash in between leaves a file that nobody looks at. */
async function writeOnce(folder: string, name: string, text: string): Promise<void> {
  const draft = join(folder, `.${randomUUID()}`);
  const file = await open(draft, 'wx', 0o444);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  try {
    await link(draft, join(folder, name));
    await syncFolder(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    await unlink(draft);
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
