import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';
import { DOCS_POLICY } from './security-headers.ts';

/** A plain word instead of the library's own sign. */
const LOGO =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 60 40"><text x="0" y="27" fill="#fff" font-family="sans-serif" font-size="24">API</text></svg>';

/** Serves the API description at `/openapi.json` and a page to browse it at `/docs`; all assets are local. */
export async function addDocs(fastify: FastifyInstance, document: object): Promise<void> {
  fastify.get('/openapi.json', (_request, reply) => reply.send(document));
  await fastify.register(swagger, { mode: 'static', specification: { document: document as never } });
  await fastify.register(swaggerUi, {
    routePrefix: '/docs',
    staticCSP: DOCS_POLICY,
    // No request to a validator on the internet; the page works offline.
    uiConfig: { validatorUrl: null, docExpansion: 'list', tryItOutEnabled: false },
    theme: { title: 'API' },
    logo: { type: 'image/svg+xml', content: Buffer.from(LOGO), href: '/docs' },
    logLevel: 'silent',
  });
}
