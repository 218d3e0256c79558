import type { FastifyReply } from 'fastify';
import type { Rendered } from './output.ts';
import type { AnyRoute, ReplyCookie } from './route.ts';

/** Sends a rendered reply. What a signed-in caller gets is never stored by a cache on the way (safety rule 29). */
export function sendRendered(
  reply: FastifyReply,
  route: Pick<AnyRoute, 'auth'>,
  rendered: Rendered & { replayed?: boolean },
): FastifyReply {
  reply.code(rendered.status).headers(rendered.headers);
  if (route.auth.kind !== 'open' || rendered.headers['cache-control'] === undefined) {
    reply.header('cache-control', 'no-store');
  }
  if (rendered.replayed) reply.header('idempotency-replayed', 'true');
  for (const cookie of rendered.cookies) setCookie(reply, cookie);
  // Fastify must not choose a content type for a reply without a body.
  return reply.send(rendered.body.length === 0 ? undefined : rendered.body);
}

function setCookie(reply: FastifyReply, { name, value, maxAgeSeconds, ...options }: ReplyCookie): void {
  reply.setCookie(name, value, {
    path: '/',
    httpOnly: true,
    secure: true,
    sameSite: 'lax',
    ...options,
    ...(maxAgeSeconds === undefined ? {} : { maxAge: maxAgeSeconds }),
  });
}
