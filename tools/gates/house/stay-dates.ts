import { dottedName, type Node, nodesIn } from '../syntax.ts';
import { eachLine, type HouseRule, isPlanted, type Refusal, type SourceFile } from './rule.ts';

/** R4: nights are hotel days in the property's zone. An instant there moves the stay for half the world. */
export const stayDates: HouseRule = {
  name: 'stay-dates',
  why: 'stay dates are LocalDate in code and date in SQL',
  check: ({ files }) =>
    files.flatMap(file => {
      if (/\.tsx?$/.test(file.path)) return inCode(file);
      return file.path.endsWith('.sql') && !isPlanted(file.path) ? inSql(file) : [];
    }),
};

const field =
  'arrival|departure|arrival_?date|departure_?date|check_?in_?date|check_?out_?date|stay_?date|night|business_?date';
const stayField = new RegExp(`^(${field})$`, 'i');

function inCode(file: SourceFile): Refusal[] {
  if (!new RegExp(`\\b(${field})\\b`, 'i').test(file.text)) return [];
  const syntax = file.syntax();
  return syntax.nodes.filter(isStayInstant).map(node => ({
    path: file.path,
    line: syntax.lineOf(node.span === undefined ? (node.key as Node) : node),
    what: 'a stay field holds an instant',
  }));
}

/** `arrival: Date` in a type or parameter, `arrival: z.date()` or `timestamp(…)` in a schema. */
function isStayInstant(node: Node): boolean {
  if (!stayField.test(nameOf(node))) return false;
  if (node.type === 'KeyValueProperty') {
    return /^z\.(coerce\.)?date\b|^z\.iso\.datetime\b|^timestamp$/.test(rootCall(node.value as Node));
  }
  return [...nodesIn(node.typeAnnotation)].some(
    type => type.type === 'TsTypeReference' && dottedName(type.typeName as Node) === 'Date',
  );
}

function nameOf(node: Node): string {
  if (node.type === 'Identifier') return node.value as string;
  const key = node.key as Node | undefined;
  return key?.type === 'Identifier' || key?.type === 'StringLiteral' ? (key.value as string) : '';
}

/** The innermost call of a chain: `z.coerce.date` of `z.coerce.date().min(…)`. */
function rootCall(node: Node): string {
  return dottedName(node).replace(/(\.(optional|nullable|nullish|notNull|min|max|default|defaultNow))+$/, '');
}

function inSql(file: SourceFile): Refusal[] {
  const column = new RegExp(`^\\s*"?(${field})"?\\s+timestamp`, 'i');
  const found: Refusal[] = [];
  eachLine(file.text, (line, number) => {
    if (column.test(line))
      found.push({ path: file.path, line: number, what: 'a stay column holds an instant' });
  });
  return found;
}
