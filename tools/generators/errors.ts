import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { CatalogueEntry } from '@ghasi/domain-primitives/errors';
import { repositoryFiles } from '../gates/tree.ts';
import { type Page, table } from './generator.ts';

/** Every code the platform may answer with, from each workspace's errors.ts. */
export const errorsPage: Page = {
  path: 'docs/reference/errors.md',
  title: 'Error codes',
  source: 'every `errors.ts`',
  async make(root) {
    const files = repositoryFiles(root).filter(path =>
      /^(packages|services|apps)\/[^/]+\/errors\.ts$/.test(path),
    );
    const sections = await Promise.all(files.map(path => section(root, path)));
    return `${introduction}\n\n${sections.filter(text => text !== '').join('\n\n')}`;
  },
};

const introduction = [
  'Errors are answered as `application/problem+json`: `qualifiedCode` is the code below, `code` its last part, `detail` the',
  'text with the words in braces filled in, `correlationId` the trace to look for. Match on codes, never on the text; codes',
  'are never renamed or reused.',
].join('\n');

async function section(root: string, path: string): Promise<string> {
  const module = (await import(pathToFileURL(join(root, path)).href)) as Record<string, unknown>;
  const entries = Object.values(module).flatMap(catalogueOf);
  if (entries.length === 0) return '';
  const rows = entries.map(({ qualifiedCode, status, text }) => [
    `\`${qualifiedCode}\``,
    String(status),
    text,
  ]);
  return `## ${path.split('/').slice(0, 2).join('/')}\n\n${table(['Code', 'Status', 'Text'], rows)}`;
}

function catalogueOf(value: unknown): CatalogueEntry[] {
  if (typeof value !== 'object' || value === null || !('catalogue' in value)) return [];
  return Array.isArray(value.catalogue) ? (value.catalogue as CatalogueEntry[]) : [];
}
