import { isSecretKey } from './secret-keys.ts';

// A name, then what may close it (quotes, also escaped ones, a bracket), then the sign, plain or percent-encoded.
const nameAndSign = /([A-Za-z][\w-]{1,40})["'\\\]]{0,4}\s{0,3}(?:[:=]|%3[AaDd])\s{0,3}/g;
const value = /\\{0,3}"(?:[^"\\]|\\.)*|'[^']*|[^\s"'][^\s"&]*/y;
const restOfLine = /[^\r\n]*/y;

/** Replaces the value after every secret name: `name=value`, `"name":"value"`, a header line, a query parameter. */
export function scrubPairs(text: string, replacement: string): string {
  let result = '';
  let copied = 0;
  nameAndSign.lastIndex = 0;
  for (let pair = nameAndSign.exec(text); pair !== null; pair = nameAndSign.exec(text)) {
    const name = pair[1] ?? '';
    if (!isSecretKey(name)) continue;
    const from = nameAndSign.lastIndex;
    // A cookie or authorization header goes on after its first word.
    const end = endOf(/cookie|authorization/i.test(name) ? restOfLine : value, text, from);
    if (end === from || text.startsWith(replacement, from)) continue;
    result += text.slice(copied, from) + replacement;
    copied = end;
    nameAndSign.lastIndex = end;
  }
  return copied === 0 ? text : result + text.slice(copied);
}

function endOf(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from;
  const end = pattern.test(text) ? pattern.lastIndex : from;
  return text[from] === '[' || text[from] === '{' ? Math.max(end, endOfBrackets(text, from)) : end;
}

// Brackets inside strings are counted too: at worst more is taken out than needed.
function endOfBrackets(text: string, from: number): number {
  let open = 0;
  for (let i = from; i < text.length; i++) {
    if (text[i] === '[' || text[i] === '{') open++;
    else if ((text[i] === ']' || text[i] === '}') && --open === 0) return i + 1;
  }
  return text.length;
}
