import { basename, dirname } from 'node:path';
import { type HouseRule, lineAt, type Refusal, type SourceFile } from './rule.ts';

/** Migrations are numbered without gaps, say why they exist, and protect each tenant table where they create it. */
export const migrations: HouseRule = {
  name: 'migrations',
  why: 'history is numbered, explained and tenant-safe at every step (X-096)',
  check({ files }) {
    const scripts = files.filter(file => /(^|\/)migrations\/.*\.sql$/.test(file.path));
    return [...scripts.flatMap(file => [...shape(file), ...unprotected(file)]), ...numbering(scripts)];
  },
};

function shape(file: SourceFile): Refusal[] {
  const found: Refusal[] = [];
  if (!/^\d{4}_[a-z0-9_]+(\.down)?\.sql$/.test(basename(file.path))) {
    found.push({ path: file.path, line: 0, what: 'is not named NNNN_what_it_does.sql' });
  }
  if (!/^-- why: \S/.test(file.text)) {
    found.push({ path: file.path, line: 1, what: 'does not start with "-- why: reason"' });
  }
  return found;
}

function unprotected(file: SourceFile): Refusal[] {
  if (file.path.endsWith('.down.sql')) return [];
  const sql = file.text.replace(/--[^\n]*/g, comment => ' '.repeat(comment.length));
  const found: Refusal[] = [];
  for (const match of sql.matchAll(
    /\bcreate\s+(?:unlogged\s+)?table\s+(?:if\s+not\s+exists\s+)?([\w."%]+)\s*\(/gi,
  )) {
    const name = (match[1] ?? '').replaceAll('"', '');
    const columns = bracketed(sql, match.index + match[0].length);
    if (!/\btenant_id\s+uuid\b/i.test(columns)) continue;
    // a helper that creates %I.outbox protects it through a name it also builds
    const call = name.includes('%')
      ? /\bapp\.protect\s*\(/i
      : new RegExp(`\\bapp\\.protect\\s*\\(\\s*'${name}'`, 'i');
    if (!call.test(sql)) {
      found.push({
        path: file.path,
        line: lineAt(sql, match.index),
        what: `creates ${name} without app.protect('${name}')`,
      });
    }
  }
  return found;
}

function numbering(scripts: SourceFile[]): Refusal[] {
  const forward = scripts.filter(file => !file.path.endsWith('.down.sql'));
  return Object.values(Object.groupBy(forward, file => dirname(file.path))).flatMap(folder =>
    (folder ?? []).flatMap((file, index) => {
      const expected = String(index + 1).padStart(4, '0');
      if (basename(file.path).startsWith(expected)) return [];
      return [
        {
          path: file.path,
          line: 0,
          what: `should carry number ${expected}: numbers have no gap and no double`,
        },
      ];
    }),
  );
}

function bracketed(text: string, from: number): string {
  let depth = 1;
  let at = from;
  for (; at < text.length && depth > 0; at += 1) {
    if (text[at] === '(') depth += 1;
    if (text[at] === ')') depth -= 1;
  }
  return text.slice(from, at);
}
