import type { HouseRule, Refusal } from './rule.ts';

type LockEntry = { resolved?: string; integrity?: string; link?: boolean; inBundle?: boolean };

/** safety-48: the lock names contents by hash, never the host or repository they came from. */
export const lockFile: HouseRule = {
  name: 'lock-file',
  why: 'npm resolves the host from the user’s settings; the hash proves the content',
  check({ files }) {
    const file = files.find(({ path }) => path === 'package-lock.json');
    if (file === undefined) return [{ path: 'package-lock.json', line: 0, what: 'is missing' }];
    const { packages = {} } = JSON.parse(file.text) as { packages?: Record<string, LockEntry> };
    const found: Refusal[] = [];
    for (const [path, entry] of Object.entries(packages)) {
      if (!path.includes('node_modules/') || entry.link === true) continue;
      if (/^[a-z+]+:/.test(entry.resolved ?? '')) {
        found.push({ path: file.path, line: 0, what: `${path} names a host: ${entry.resolved}` });
      }
      if (!/^sha512-/.test(entry.integrity ?? '') && entry.inBundle !== true) {
        found.push({ path: file.path, line: 0, what: `${path} has no sha512 integrity` });
      }
    }
    return found;
  },
};
