import { argumentsOf, dottedName, type Node, nodesIn, textOf } from '../syntax.ts';
import type { HouseRule, Refusal, SourceFile } from './rule.ts';

/** Tests wait on signals, run always and never judge by the clock: the three ways a suite starts to lie. */
export const patientTests: HouseRule = {
  name: 'patient-tests',
  why: 'wait with signal() or waitUntil(); delete or mend what cannot run',
  check: ({ files }) => files.filter(file => /\.(test|conformance)\.tsx?$/.test(file.path)).flatMap(refusals),
};

function refusals(file: SourceFile): Refusal[] {
  const syntax = file.syntax();
  return syntax.nodes.flatMap(node => {
    const what = sleeps(node) ?? leavesOut(node) ?? timesItself(node);
    return what === undefined ? [] : [{ path: file.path, line: syntax.lineOf(node), what }];
  });
}

function sleeps(node: Node): string | undefined {
  if (node.type === 'ImportDeclaration' && textOf(node.source as Node) === 'node:timers/promises')
    return 'imports a sleep';
  if (node.type !== 'CallExpression') return undefined;
  const callee = dottedName(node.callee as Node);
  return /(^|\.)(setTimeout|sleep|delay)$/.test(callee) ? `waits with ${callee}()` : undefined;
}

function leavesOut(node: Node): string | undefined {
  if (node.type !== 'MemberExpression') return undefined;
  const name = dottedName(node);
  return /^(test|it|describe|suite)(\.\w+)*\.(skip|todo|only|fails|skipIf|runIf)$/.test(name)
    ? `uses ${name}`
    : undefined;
}

function timesItself(node: Node): string | undefined {
  if (node.type !== 'CallExpression' || dottedName(node.callee as Node) !== 'expect') return undefined;
  const clock = [...nodesIn(argumentsOf(node))].find(part =>
    /^(Date|performance)\.now$|^process\.hrtime/.test(dottedName(part)),
  );
  return clock === undefined ? undefined : 'asserts on elapsed time';
}
