import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

const TICKS_PER_SECOND = 100; // USER_HZ, the same on every Linux we know
const CALM_MS = 700;
const CALM_SHARE = 0.15; // of one core

/** Processor seconds used so far by a process and its children, gone ones too; undefined where there is no /proc. */
function processorSeconds(pid: number): number | undefined {
  const own = statOf(String(pid));
  if (own === undefined) return undefined;
  let ticks = ticksIn(own, [11, 12, 13, 14]);
  for (const folder of readdirSync('/proc')) {
    const fields = /^\d+$/.test(folder) ? statOf(folder) : undefined;
    if (fields !== undefined && Number(fields[1]) === pid) ticks += ticksIn(fields, [11, 12]);
  }
  return ticks / TICKS_PER_SECOND;
}

/** Processor seconds used so far by everything on this machine, also what a host took from it. */
function machineSeconds(): number | undefined {
  if (!existsSync('/proc/stat')) return undefined;
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = readFileSync(
    '/proc/stat',
    'utf8',
  )
    .split('\n', 1)
    .flatMap(line => line.split(/ +/).slice(1).map(Number));
  return (user + nice + system + irq + softirq + steal) / TICKS_PER_SECOND;
}

/**
 * Starts counting processor time of the processes named. The function it returns tells percent of one core since then
 * by name, and `rest`: what everything else on the machine used. Empty and 0 where there is no /proc.
 */
export function startStopwatch(
  pids: Readonly<Record<string, number>>,
): () => { shares: Record<string, number>; rest: number } {
  const read = () => ({
    used: Object.entries(pids).map(([name, pid]) => [name, processorSeconds(pid) ?? 0] as const),
    machine: machineSeconds() ?? 0,
    at: performance.now() / 1000,
  });
  const before = read();
  return () => {
    const after = read();
    const percent = (seconds: number) => Math.round((seconds / (after.at - before.at)) * 100);
    const used = after.used.map(([name, seconds], place) => {
      const [, earlier] = before.used[place] ?? [name, 0];
      return [name, seconds - earlier] as const;
    });
    const ours = used.reduce((sum, [, seconds]) => sum + seconds, 0);
    return {
      shares: Object.fromEntries(used.map(([name, seconds]) => [name, percent(seconds)])),
      rest: Math.max(0, percent(after.machine - before.machine - ours)),
    };
  };
}

/** Waits until other programs leave the processors alone, at most `limitMs`; ours are idle when this is called. */
export async function untilCalm(limitMs: number): Promise<void> {
  const end = performance.now() + limitMs;
  for (let before = machineSeconds(); before !== undefined && performance.now() < end; ) {
    await delay(CALM_MS);
    const now = machineSeconds() ?? 0;
    if ((now - before) * 1000 < CALM_MS * CALM_SHARE) return;
    before = now;
  }
}

/** Fields after the name, which may hold spaces: state, parent, …, user and system ticks at 11 to 14, own and children's. */
function statOf(pid: string): string[] | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined; // no /proc, or it ended while we looked
  }
}

function ticksIn(fields: string[], places: number[]): number {
  return places.reduce((sum, place) => sum + Number(fields[place]), 0);
}
