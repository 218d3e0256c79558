import { basename } from 'node:path';
import type { HouseRule, Refusal, SourceFile } from './rule.ts';

const maxLines = 300;
const maxTestLines = 500;

/** A file is one idea with a name that says which: no barrels, no drawers for everything, no scrolls. */
export const fileShape: HouseRule = {
  name: 'file-shape',
  why: 'split by idea and name the file for its main export',
  check: ({ files }) =>
    files
      .filter(file => /\.(ts|tsx|mts|cts|js|mjs|cjs|sql)$/.test(file.path))
      .flatMap(file => [barrel(file), drawer(file), scroll(file)])
      .filter(refusal => refusal !== undefined),
};

function barrel(file: SourceFile): Refusal | undefined {
  if (/^index\.[a-z]+$/.test(basename(file.path))) return { path: file.path, line: 0, what: 'is a barrel' };
  const line = file.text.split('\n').findIndex(text => /^export \* from /.test(text));
  return line === -1 ? undefined : { path: file.path, line: line + 1, what: 're-exports a whole file' };
}

function drawer(file: SourceFile): Refusal | undefined {
  const stem = basename(file.path).split('.')[0] ?? '';
  const isDrawer = /(^|-)(utils?|helpers?|common|types|managers?|misc)$/.test(stem);
  return isDrawer ? { path: file.path, line: 0, what: `"${stem}" names a drawer, not an idea` } : undefined;
}

function scroll(file: SourceFile): Refusal | undefined {
  const lines = file.text.replace(/\n$/, '').split('\n').length;
  const limit = file.isTest ? maxTestLines : maxLines;
  if (lines <= limit || /^(\/\/|--) long: \S/m.test(file.text)) return undefined;
  return {
    path: file.path,
    line: 0,
    what: `has ${lines} lines, more than ${limit}, and no "// long: reason"`,
  };
}
