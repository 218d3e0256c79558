import { askErrors, atHop, HOPS_HEADER, type LocalAnswers } from '@ghasi/backbone/ask';
import { type AnyRoute, defineRoute, internal } from '@ghasi/http/route';
import { z } from 'zod';

/** Where other processes put their questions to the services of this one. */
export function questionRoute(answers: LocalAnswers): AnyRoute {
  return defineRoute({
    method: 'POST',
    path: '/internal/questions/:name',
    summary: 'Answers a declared question of another process of this installation',
    auth: internal(),
    params: z.strictObject({ name: z.string().max(100) }),
    body: z.strictObject({ input: z.unknown() }),
    returns: { 200: z.strictObject({ answer: z.unknown() }) },
    idempotency: { none: 'a question is asked again, not replayed' },
    transaction: 'none',
    async handler(_ctx, { params, body }, request) {
      const handle = answers.get(params.name);
      if (handle === undefined) throw askErrors.QUESTION_UNKNOWN({ name: params.name });
      const hops = request.headers[HOPS_HEADER];
      const answer = await atHop(typeof hops === 'string' ? hops : undefined, () => handle(body.input));
      return { status: 200, body: { answer } };
    },
  });
}
