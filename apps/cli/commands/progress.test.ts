import { expect, test } from 'vitest';
import { bar, progress } from './progress.ts';

function shown(isTTY: boolean, steps: [number, number][]): string[] {
  const written: string[] = [];
  const report = progress('replayed', { isTTY, write: text => written.push(text) });
  for (const [done, total] of steps) report(done, total);
  return written;
}
const steps = (total: number) =>
  Array.from({ length: total / 500 }, (_, n): [number, number] => [(n + 1) * 500, total]);

test('on a terminal one line is drawn over and over and ends with the work', () => {
  const written = shown(true, steps(2_000));
  expect(written).toHaveLength(4);
  expect(written.every(text => text.startsWith('\r['))).toBe(true);
  expect(written.map(text => text.endsWith('\n'))).toEqual([false, false, false, true]);
  expect(written.at(-1)).toBe(`\r[${'█'.repeat(30)}] 100 % replayed 2,000 of 2,000\n`);
});

test('in a file there is a line for every tenth and nothing a terminal would obey', () => {
  const written = shown(false, steps(50_000));
  expect(written).toHaveLength(10);
  expect(written[0]).toBe('melm: replayed 5,000 of 50,000\n');
  expect(written.join('')).not.toContain('\r');
});

test('work that is over at once shows no progress', () => {
  expect(shown(true, [[500, 500]])).toEqual([]);
});

test('a bar has the same width at every share', () => {
  const bars = [bar(0, 10), bar(3, 10), bar(10, 10), bar(0, 0)];
  expect(new Set(bars.map(text => text.length)).size).toBe(1);
  expect(bars[1]).toBe(`[${'█'.repeat(9)}${'░'.repeat(21)}]  30 %`);
});
