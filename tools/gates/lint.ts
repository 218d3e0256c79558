import { biomeReport } from './biome.ts';
import { type Gate, isStarted, runGate } from './gate.ts';

/** biome's lint rules, warnings included. */
export const lint: Gate = { name: 'lint', floor: 1_740, check: root => biomeReport('lint', root) };

if (isStarted(import.meta.url)) await runGate(lint);
