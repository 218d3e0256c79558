import { parse, type Syntax } from '../syntax.ts';
import { isTestFile, readText, repositoryFiles } from '../tree.ts';

/** A file as the house rules see it; TypeScript is parsed when a rule first asks. */
export type SourceFile = { path: string; text: string; isTest: boolean; syntax(): Syntax };

/** One refusal of a rule. Line 0 means the file as a whole. */
export type Refusal = { path: string; line: number; what: string };

/** The tree of one run. */
export type Tree = { root: string; files: SourceFile[] };

/** A rule of the house that no linter knows. `why` ends each message: it is what the reader learns. */
export type HouseRule = { name: string; why: string; check(tree: Tree): Refusal[] };

/** Loads the text files of a repository. */
export function loadTree(root: string): Tree {
  const paths = repositoryFiles(root).filter(path => textFile.test(path));
  return { root, files: paths.map(path => sourceFile(path, readText(root, path))) };
}

/** Files that spell out violations on purpose: the rules themselves and their planted tests. */
export function isPlanted(path: string): boolean {
  return /^tools\/gates\/(house\/|.*\.test\.ts$)/.test(path);
}

/** Calls `look` on each line of text, counted from 1. */
export function eachLine(text: string, look: (line: string, number: number) => void): void {
  text.split('\n').forEach((line, index) => {
    look(line, index + 1);
  });
}

/** The line an offset of a text is on, counted from 1. */
export function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}

const textFile =
  /\.(ts|tsx|mts|cts|js|mjs|cjs|json|sql|md|yml|yaml|html|css|sh|svg|txt|toml)$|(^|\/)[^.]+$|\.npmrc$/;

function sourceFile(path: string, text: string): SourceFile {
  let parsed: Syntax | undefined;
  return {
    path,
    text,
    isTest: isTestFile(path),
    syntax() {
      parsed ??= parse(text);
      return parsed;
    },
  };
}
