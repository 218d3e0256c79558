import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

const folder = new URL('./', import.meta.url);
const manifest = JSON.parse(readFileSync(new URL('package.json', folder), 'utf8')) as {
  exports: Record<string, string>;
  dependencies: Record<string, string>;
};
const sources = readdirSync(folder).filter(name => name.endsWith('.ts') && !name.endsWith('.test.ts'));

function withoutComments(source: string): string {
  return source.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/(^|\s)\/\/.*$/gm, '$1');
}

/** What a browser does not have: Node's modules and globals, and packages that are not our two. */
function nodeUses(source: string): string[] {
  const code = withoutComments(source);
  const imports = [...code.matchAll(/\b(?:from|import|require)\s*\(?\s*['"]([^'"]+)['"]/g)]
    .map(([, target = '']) => target)
    .filter(target => !target.startsWith('./') && !/^(@noble\/hashes|temporal-polyfill)(\/|$)/.test(target));
  const globals = code.match(/\b(process|Buffer|__dirname|__filename|setImmediate)\b(?=\s*[.([;,)])/g) ?? [];
  return [...imports, ...globals];
}

describe('browser safety', () => {
  test('no file of this package imports node: or uses process or Buffer', () => {
    expect(sources.length).toBeGreaterThanOrEqual(13);
    const found = sources.flatMap(name =>
      nodeUses(readFileSync(new URL(name, folder), 'utf8')).map(use => `${name}: ${use}`),
    );
    expect(found).toEqual([]);
  });

  test.each([
    ["import { readFileSync } from 'node:fs';", 'node:fs'],
    ["import 'fs';", 'fs'],
    ["const fs = await import('node:fs');", 'node:fs'],
    ["const fs = require('fs');", 'fs'],
    ["import { z } from 'zod';", 'zod'],
    ["import { x } from '../db/x.ts';", '../db/x.ts'],
    ['process.exit(1);', 'process'],
    ['const { env } = globalThis.process;', 'process'],
    ['return Buffer.from(text);', 'Buffer'],
    ["const url = 'https://a'; Buffer.alloc(1);", 'Buffer'],
  ])('the check sees a planted violation: %s', (source, use) => {
    expect(nodeUses(source)).toEqual([use]);
  });

  test('the check is not fooled by comments', () => {
    expect(nodeUses('// one per process.\n/** Buffer. */\nimport { a } from "./a.ts"; // process.')).toEqual(
      [],
    );
  });

  test('every door of the package leads to a file, and every dependency is used', () => {
    for (const [door, file] of Object.entries(manifest.exports)) {
      expect(sources).toContain(file.slice(2));
      expect(door).toBe(file.replace('.ts', ''));
    }
    const text = sources.map(name => readFileSync(new URL(name, folder), 'utf8')).join('');
    for (const name of Object.keys(manifest.dependencies)) expect(text).toContain(`from '${name}`);
  });
});
