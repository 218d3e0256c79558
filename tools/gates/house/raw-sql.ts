import { argumentsOf, dottedName, type Node } from '../syntax.ts';
import type { HouseRule, Refusal, SourceFile } from './rule.ts';

/** safety-9: values reach PostgreSQL as parameters; text glued into a statement is how injections start. */
export const rawSql: HouseRule = {
  name: 'raw-sql',
  why: 'pass values as parameters, names through escapeIdentifier()',
  check: ({ files }) => files.filter(isShipped).flatMap(refusals),
};

/** Tests may build statements: many walk the catalog and ask every table the same thing. */
function isShipped({ path, isTest }: SourceFile): boolean {
  return /\.tsx?$/.test(path) && !isTest && !path.startsWith('packages/testing/');
}

function refusals(file: SourceFile): Refusal[] {
  if (!/\.query\b|\.execute\b|\.raw\b/.test(file.text)) return [];
  const syntax = file.syntax();
  const constants = constantsIn(syntax.nodes);
  return syntax.nodes
    .filter(node => node.type === 'CallExpression')
    .filter(call => {
      const passed = statementOf(call);
      // a statement is often a constant of its own; a parameter is somebody else's to judge
      const statement = passed?.type === 'Identifier' ? constants.get(passed.value as string) : passed;
      return statement !== undefined && isText(statement) && !isSafe(statement, constants);
    })
    .map(call => ({
      path: file.path,
      line: syntax.lineOf(call),
      what: `statement text built from values in ${dottedName(call)}()`,
    }));
}

/** The statement a call sends: first argument of query/execute/sql.raw, or `text` of `query({ text, values })`. */
function statementOf(call: Node): Node | undefined {
  const [statement] = argumentsOf(call);
  if (
    statement === undefined ||
    !/\.(query|execute)$|(^|\.)sql\.raw$/.test(dottedName(call.callee as Node))
  ) {
    return undefined;
  }
  if (statement.type !== 'ObjectExpression') return statement;
  const properties = statement.properties as Array<{ key?: { value?: string }; value?: Node }>;
  return properties.find(property => property.key?.value === 'text')?.value;
}

/** `const x = …` of the file by name: DDL takes no parameters, so a name quoted one line above is fine. */
function constantsIn(nodes: Node[]): Map<string, Node> {
  const constants = new Map<string, Node>();
  for (const node of nodes) {
    if (node.type !== 'VariableDeclaration' || node.kind !== 'const') continue;
    for (const { id, init } of node.declarations as Array<{ id: Node; init: Node | null }>) {
      if (id.type === 'Identifier' && init !== null) constants.set(id.value as string, init);
    }
  }
  return constants;
}

function isText(node: Node): boolean {
  return node.type === 'TemplateLiteral' || (node.type === 'BinaryExpression' && node.operator === '+');
}

function isSafe(node: Node, constants: Map<string, Node>): boolean {
  switch (node.type) {
    case 'StringLiteral':
      return true;
    case 'TemplateLiteral':
      return (node.expressions as Node[]).every(part => isSafe(part, constants));
    case 'BinaryExpression':
      return isSafe(node.left as Node, constants) && isSafe(node.right as Node, constants);
    case 'ConditionalExpression':
      return isSafe(node.consequent as Node, constants) && isSafe(node.alternate as Node, constants);
    case 'ParenthesisExpression':
      return isSafe(node.expression as Node, constants);
    case 'Identifier':
      return isSafeName(node.value as string, constants);
    case 'CallExpression':
      return isEscaped(node);
    default:
      return false;
  }
}

/** A local constant that is safe itself, or a CONSTANT of another file: those are literals by convention. */
function isSafeName(name: string, constants: Map<string, Node>): boolean {
  const value = constants.get(name);
  if (value === undefined) return /^[A-Z][A-Z0-9_]+$/.test(name);
  const others = new Map(constants);
  others.delete(name);
  return isSafe(value, others);
}

/** pg's own quoting: `escapeIdentifier(x)`, `escapeLiteral(x)`, or a list `x.map(escapeIdentifier).join()`. */
function isEscaped(call: Node): boolean {
  const callee = call.callee as Node;
  const name = dottedName(callee);
  if (/(^|\.)escape(Identifier|Literal)$/.test(name)) return true;
  if (!name.endsWith('.map.join')) return false;
  const map = callee.object as Node;
  return argumentsOf(map).every(mapper => /(^|\.)escape(Identifier|Literal)$/.test(dottedName(mapper)));
}
