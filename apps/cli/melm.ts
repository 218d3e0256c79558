#!/usr/bin/env -S node --disable-warning=ExperimentalWarning
import { enableCompileCache } from 'node:module';
import { AppError } from '@ghasi/domain-primitives/errors';
import { program } from './program.ts';

enableCompileCache(); // commands are loaded when they run: the next run finds them compiled

try {
  await program().parseAsync();
} catch (error) {
  // An error of the catalogue was foreseen: one line, and 2 for "fix how you called me". Others show where they arose.
  const foreseen = error instanceof AppError;
  process.stderr.write(
    `melm: ${foreseen ? error.message : error instanceof Error ? error.stack : String(error)}\n`,
  );
  process.exitCode = foreseen ? 2 : 1;
}
