import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ART_VERSION, drawScene, scenes } from './art/scenes.ts';
import { ASSET_PATH, type Asset, type Assets } from './assets.ts';

const FOR_EVER = 'public, max-age=31536000, immutable';
const MOST_DRAWINGS = 500; // about 30 hotels in colours of their own, 10 KB each

/** Files under hashed names, drawings by scene and colours, and the service worker of each hotel. */
export function addAssetRoutes(fastify: FastifyInstance, assets: Assets): void {
  const drawings = new Map<string, Asset>();

  fastify.get(`${ASSET_PATH}:file`, (request, reply) => {
    const { file } = request.params as { file: string };
    const asset = assets.files.get(file);
    if (asset === undefined) return reply.code(404).send();
    return sendAsset(asset, FOR_EVER, { request, reply });
  });

  fastify.get(`${ASSET_PATH}art/${ART_VERSION}/:file`, (request, reply) => {
    const { file } = request.params as { file: string };
    const asset = drawings.get(file) ?? drawn(file);
    if (asset === undefined) return reply.code(404).send();
    if (drawings.size >= MOST_DRAWINGS) drawings.clear();
    drawings.set(file, asset);
    return sendAsset(asset, FOR_EVER, { request, reply });
  });

  for (const url of ['/t/:slug/offline-worker.js', '/offline-worker.js']) {
    fastify.get(url, (request, reply) => sendAsset(assets.worker, 'no-cache', { request, reply }));
  }
}

/** `hero-wide-8c1c2b-f2c14e.svg`. */
function drawn(file: string): Asset | undefined {
  const [, scene = '', primary = '', accent = ''] =
    /^([a-z-]+)-([0-9a-f]{6})-([0-9a-f]{6})\.svg$/.exec(file) ?? [];
  if (!(scenes as readonly string[]).includes(scene)) return undefined;
  const text = drawScene(scene, primary, accent);
  if (text === undefined) return undefined;
  const plain = Buffer.from(text);
  const params = { [constants.BROTLI_PARAM_QUALITY]: 6 };
  return {
    type: 'image/svg+xml',
    plain,
    gzip: gzipSync(plain),
    brotli: brotliCompressSync(plain, { params }),
  };
}

function sendAsset(
  asset: Asset,
  caching: string,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
): FastifyReply {
  reply.headers({
    'cache-control': caching,
    'content-type': asset.type,
    'x-content-type-options': 'nosniff',
    // Of a worker it limits what it may fetch, of a drawing everything.
    'content-security-policy': "default-src 'none'; connect-src 'self'",
    'cross-origin-resource-policy': 'same-origin',
    vary: 'accept-encoding',
  });
  const accepts = request.headers['accept-encoding'] ?? '';
  const { brotli, gzip } = asset;
  if (brotli !== undefined && /\bbr\b/.test(accepts))
    return reply.header('content-encoding', 'br').send(brotli);
  if (gzip !== undefined && /\bgzip\b/.test(accepts))
    return reply.header('content-encoding', 'gzip').send(gzip);
  return reply.send(asset.plain);
}
