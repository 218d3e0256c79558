import { argumentsOf, dottedName, type Node, parse, textOf } from '../gates/syntax.ts';
import { isTestFile, readText, repositoryFiles } from '../gates/tree.ts';

/** A title of a test or group of tests. */
export type TestTitle = { path: string; line: number; title: string };

/** The titles of every test file and conformance suite, read from their syntax, not by running them. */
export function testTitles(root: string): TestTitle[] {
  return repositoryFiles(root)
    .filter(path => isTestFile(path) && path.endsWith('.ts'))
    .flatMap(path => titlesIn(path, readText(root, path)));
}

/** The titles in one file; the variable parts of a template title are left out. */
export function titlesIn(path: string, source: string): TestTitle[] {
  const syntax = parse(source);
  return syntax.nodes.flatMap(node => {
    if (node.type !== 'CallExpression' || !isTestCall(node)) return [];
    const title = textOf(argumentsOf(node)[0]);
    return title === undefined
      ? []
      : [{ path, line: syntax.lineOf(node), title: title.replaceAll('\0', '…') }];
  });
}

/** test, it and describe in all their forms: `test.each(rows)(…)`, `describe.for`, `describeWithRedis`. */
function isTestCall(call: Node): boolean {
  return /^(test|it|describe|suite)([A-Z]\w*)?(\.|$)/.test(dottedName(call.callee as Node));
}
