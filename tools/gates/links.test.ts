import { expect, test } from 'vitest';
import { links } from './links.ts';
import { plantedTree } from './planted-tree.ts';

test.each([
  ['a page that does not exist', '[x](docs/gone.md)\n', 'docs/gone.md leads nowhere'],
  [
    'a heading that does not exist',
    '[x](docs/here.md#gone)\n',
    'docs/here.md#gone names no heading of docs/here.md',
  ],
  ['a heading of its own page that does not exist', '[x](#gone)\n', '#gone names no heading of README.md'],
  ['a picture that does not exist', '![x](docs/gone.svg)\n', 'docs/gone.svg leads nowhere'],
  ['a picture in HTML that does not exist', '<img src="docs/gone.svg">\n', 'docs/gone.svg leads nowhere'],
  ['a page outside of the repository', '[x](../other/here.md)\n', '../other/here.md leaves the repository'],
])('a link to %s is refused', async (_title, text, what) => {
  using tree = plantedTree({ 'README.md': text, 'docs/here.md': '# Here\n' });
  expect((await links.check(tree.root)).findings).toEqual([{ where: 'README.md:1', what }]);
});

test('good links pass and are counted; addresses of others and code are left alone', async () => {
  using tree = plantedTree({
    'README.md': [
      '# A *title*: with `code`',
      '[a](docs/here.md) and [b](docs/here.md#two-words) and [c](#a-title-with-code)',
      '[d](https://example.test/gone) `[e](gone.md)`',
      '```md',
      '[f](gone.md)',
      '```',
    ].join('\n'),
    'docs/here.md': '# Two words\n[back](../README.md)\n',
  });
  expect(await links.check(tree.root)).toEqual({ looked: 4, of: 'links in 2 pages', findings: [] });
});
