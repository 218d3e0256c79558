import { type HouseRule, isPlanted, lineAt, type Refusal, type SourceFile } from './rule.ts';

/** safety-4: the tenant is set for one transaction; a session-wide setting leaks to the next user of a pooled connection. */
export const tenantSetting: HouseRule = {
  name: 'tenant-setting',
  why: 'a setting that outlives its transaction leaks a tenant through the pool',
  check: ({ files }) =>
    files.filter(file => /\.(ts|sql)$/.test(file.path) && !isPlanted(file.path)).flatMap(refusals),
};

function refusals(file: SourceFile): Refusal[] {
  const code = blankComments(file);
  const found: Refusal[] = [];
  for (const match of code.matchAll(/\bset\s+(?:session\s+)?["']?app\s*\./gi)) {
    found.push({ path: file.path, line: lineAt(code, match.index), what: 'SET app.… without LOCAL' });
  }
  for (const match of code.matchAll(/\bset_config\s*\(/gi)) {
    const [name = '', , scope = ''] = argumentsAt(code, match.index + match[0].length);
    const isOurs = !/^'(?!app\.)/.test(name); // a literal name outside app. is PostgreSQL's own business
    if (isOurs && scope.toLowerCase() !== 'true') {
      found.push({
        path: file.path,
        line: lineAt(code, match.index),
        what: `set_config(${name}, …) not transaction-local`,
      });
    }
  }
  return found;
}

/** Comments become spaces, so that prose about SET is free and line numbers stay. */
function blankComments(file: SourceFile): string {
  const comments = file.path.endsWith('.sql')
    ? /--[^\n]*|\/\*[\s\S]*?\*\//g
    : /(?<=^|[\s;{}(),])\/\/[^\n]*|\/\*[\s\S]*?\*\//g;
  return file.text.replace(comments, comment => comment.replace(/[^\n]/g, ' '));
}

/** The top-level arguments of a call whose opening bracket ends at `from`. */
function argumentsAt(code: string, from: number): string[] {
  const parts = [''];
  let depth = 0;
  for (const character of code.slice(from, from + 2000)) {
    if (depth === 0 && character === ')') break;
    if ('([{'.includes(character)) depth += 1;
    if (')]}'.includes(character)) depth -= 1;
    if (depth === 0 && character === ',') parts.push('');
    else parts[parts.length - 1] += character;
  }
  return parts.map(part => part.trim());
}
