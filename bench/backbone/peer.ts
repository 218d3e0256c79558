import { readFileSync } from 'node:fs';

/**
 * Loads a peer from bench/node_modules. By a name the checks of the root cannot follow: they run on clones where the
 * peers are not installed. For the same reason each contender types what it uses of its peer.
 */
export async function loadPeer<T>(name: string): Promise<T> {
  return (await import(name)) as T;
}

/** The installed version of a package of bench/. */
export function peerVersion(name: string): string {
  const file = new URL(`../node_modules/${name}/package.json`, import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}
