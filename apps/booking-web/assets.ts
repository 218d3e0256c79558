import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire, stripTypeScriptTypes } from 'node:module';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

/** Where hashed files live; the same for every hotel. */
export const ASSET_PATH = '/assets/booking/';

/** A file as it is sent, compressed once at start; a font is as small as it gets. */
export type Asset = { type: string; plain: Buffer; gzip?: Buffer; brotli?: Buffer };

/** The files of the site under names that change with their content. */
export type Assets = {
  /** By hashed name, without ASSET_PATH. */
  files: ReadonlyMap<string, Asset>;
  /** The address of `site` (the style sheet), `icon`, `vazirmatn` or of a client module such as `date-grid`. */
  url(name: string): string;
  /** A client module and everything it imports, itself first. */
  modules(name: string): readonly string[];
  /** The service worker is served by hotel, under its own path and unhashed. */
  worker: Asset;
};

const siteIcon =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#1f6f5c"/><path d="M7 25V14l9-7 9 7v11h-6v-5a3 3 0 0 0-6 0v5z" fill="#fff"/></svg>';

/** The Arabic letters of Vazirmatn (OFL-1.1) in every weight, those of Pashto among them: 45 KB. */
const fontFile = '@fontsource-variable/vazirmatn/files/vazirmatn-arabic-wght-normal.woff2';

const clientFolder = new URL('./client/', import.meta.url);

let built: Assets | undefined;

/** The files of this process: read, stripped, hashed and compressed when first asked for, about 100 ms. */
export function siteAssets(): Assets {
  built ??= buildAssets();
  return built;
}

function buildAssets(): Assets {
  const sources = new Map(
    readdirSync(clientFolder)
      .filter(name => name.endsWith('.ts') && !name.endsWith('.test.ts'))
      .map(name => [
        name.replace('.ts', ''),
        stripTypeScriptTypes(readFileSync(new URL(name, clientFolder), 'utf8'), { mode: 'strip' }),
      ]),
  );
  const files = new Map<string, Asset>();
  const names = new Map<string, string>();
  const imports = new Map<string, readonly string[]>();

  function add(name: string, extension: string, type: string, content: string | Buffer): string {
    const hash = createHash('sha256').update(content).digest('base64url').slice(0, 10);
    const hashed = `${name}-${hash}.${extension}`;
    files.set(hashed, typeof content === 'string' ? compressed(type, content) : { type, plain: content });
    names.set(name, ASSET_PATH + hashed);
    return hashed;
  }
  // An import becomes the hashed name of its target, so targets come first; the folder has no cycles.
  function addModule(name: string): string {
    const known = names.get(name);
    if (known !== undefined) return known.slice(ASSET_PATH.length);
    const source = sources.get(name);
    if (source === undefined) throw new TypeError(`there is no client module ${name}`);
    const used = [...source.matchAll(/from '\.\/([\w-]+)\.ts'/g)].map(([, target = '']) => target);
    imports.set(name, used);
    const text = source.replace(
      /from '\.\/([\w-]+)\.ts'/g,
      (_, target: string) => `from './${addModule(target)}'`,
    );
    return add(name, 'js', 'text/javascript; charset=utf-8', withoutComments(text));
  }

  for (const name of sources.keys()) if (name !== 'offline-worker') addModule(name);
  add(
    'site',
    'css',
    'text/css; charset=utf-8',
    readFileSync(new URL('./style/site.css', import.meta.url), 'utf8'),
  );

  add('icon', 'svg', 'image/svg+xml', siteIcon);
  add('vazirmatn', 'woff2', 'font/woff2', readFileSync(createRequire(import.meta.url).resolve(fontFile)));

  return {
    files,
    worker: compressed('text/javascript; charset=utf-8', sources.get('offline-worker') ?? ''),
    url(name) {
      const url = names.get(name);
      if (url === undefined) throw new TypeError(`there is no asset ${name}`);
      return url;
    },
    modules(name) {
      const seen = new Set([name]);
      for (const each of seen) for (const used of imports.get(each) ?? []) seen.add(used);
      return [...seen];
    },
  };
}

/** Whole-line comments and the blanks of stripped types; strings with line breaks do not occur in client modules. */
function withoutComments(source: string): string {
  return source
    .replace(/^\s*\/\*\*[\s\S]*?\*\/\s*$/gm, '')
    .replace(/^\s*\/\/.*$/gm, '')
    .replace(/^ +| +$/gm, '')
    .replace(/\n{2,}/g, '\n')
    .trimStart();
}

function compressed(type: string, text: string): Asset {
  const plain = Buffer.from(text);
  return {
    type,
    plain,
    gzip: gzipSync(plain, { level: 9 }),
    brotli: brotliCompressSync(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }),
  };
}
