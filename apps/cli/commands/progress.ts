import type { OnProgress } from '@ghasi/brokers/operations/operation';
import { whole } from './said.ts';

/** Where progress is shown: the terminal, or a file or pipe that gets plain lines. */
export type Shown = { isTTY?: boolean; write(text: string): unknown };

const WORTH_SHOWING = 500;
const WIDTH = 30;

/** A bar on a terminal, and elsewhere a line for every tenth; nothing for work that is over at once. */
export function progress(verb: string, stream: Shown = process.stderr): OnProgress {
  let tenth = 0;
  return (done, total) => {
    if (total <= WORTH_SHOWING) return;
    if (stream.isTTY === true) {
      stream.write(
        `\r${bar(done, total)} ${verb} ${whole(done)} of ${whole(total)}${done >= total ? '\n' : ''}`,
      );
      return;
    }
    const reached = Math.floor((done * 10) / total);
    if (reached === tenth) return;
    tenth = reached;
    stream.write(`melm: ${verb} ${whole(done)} of ${whole(total)}\n`);
  };
}

/** `[█████░░░░░]  50 %` */
export function bar(done: number, total: number): string {
  const share = total === 0 ? 1 : Math.min(1, done / total);
  const full = Math.floor(share * WIDTH);
  return `[${'█'.repeat(full)}${'░'.repeat(WIDTH - full)}] ${String(Math.floor(share * 100)).padStart(3)} %`;
}
