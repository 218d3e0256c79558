import { parseSync } from '@swc/core';

/** A node of the syntax tree, as far as the house rules look at it. */
export type Node = { type: string; span?: { start: number; end: number } } & Record<string, unknown>;

/** A parsed TypeScript file: its nodes, parents before children, and where each one stands. */
export type Syntax = { nodes: Node[]; lineOf(node: Node): number };

/** Parses TypeScript without resolving anything; a syntax error throws. */
export function parse(source: string): Syntax {
  // swc counts bytes over everything it ever parsed. The semicolon in front is the zero mark of this file.
  const text = `;${source.replace(/^#!/, '//')}`;
  const module = parseSync(text, { syntax: 'typescript', decorators: true }) as unknown as { body: Node[] };
  const zero = module.body[0]?.span?.start ?? 0;
  const lineStarts = newlinesOf(Buffer.from(text));
  return {
    nodes: [...nodesIn(module.body.slice(1))],
    lineOf: node => lineStarts.filter(offset => offset < (node.span?.start ?? zero) - zero).length + 1,
  };
}

/** Walks any part of a syntax tree. */
export function* nodesIn(part: unknown): Generator<Node> {
  if (Array.isArray(part)) {
    for (const item of part) yield* nodesIn(item);
    return;
  }
  if (typeof part !== 'object' || part === null) return;
  if ('type' in part && typeof part.type === 'string') yield part as Node;
  for (const child of Object.values(part)) yield* nodesIn(child);
}

/** The expressions a call passes. */
export function argumentsOf(call: Node): Node[] {
  return (call.arguments as Array<{ expression: Node }>).map(argument => argument.expression);
}

/** The text of a string or template without its `${}` parts, each shown as `\0`; undefined for anything else. */
export function textOf(node: Node | undefined): string | undefined {
  if (node?.type === 'StringLiteral') return node.value as string;
  if (node?.type !== 'TemplateLiteral') return undefined;
  return (node.quasis as Array<{ cooked: string | null; raw: string }>)
    .map(quasi => quasi.cooked ?? quasi.raw)
    .join('\0');
}

/** `a.b.c` of nested member access as text; empty when something else is in between. */
export function dottedName(node: Node | undefined): string {
  if (node === undefined) return '';
  if (node.type === 'Identifier') return node.value as string;
  if (node.type === 'CallExpression' || node.type === 'TaggedTemplateExpression') {
    return dottedName((node.callee ?? node.tag) as Node);
  }
  if (node.type !== 'MemberExpression') return '';
  const property = node.property as Node;
  return `${dottedName(node.object as Node)}.${property.type === 'Identifier' ? property.value : '?'}`;
}

function newlinesOf(bytes: Buffer): number[] {
  const offsets: number[] = [];
  for (let at = bytes.indexOf(10); at !== -1; at = bytes.indexOf(10, at + 1)) offsets.push(at);
  return offsets;
}
