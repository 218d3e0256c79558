import { biomeReport } from './biome.ts';
import { type Gate, isStarted, runGate } from './gate.ts';

/** Every file is formatted as biome.json says. */
export const format: Gate = { name: 'format', floor: 1_740, check: root => biomeReport('format', root) };

if (isStarted(import.meta.url)) await runGate(format);
