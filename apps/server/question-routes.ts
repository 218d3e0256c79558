import { atHop, HOPS_HEADER, type LocalAnswers, questionPath } from '@ghasi/backbone/ask';
import type { Service } from '@ghasi/backbone/define-service';
import { type AnyRoute, defineRoute, internal } from '@ghasi/http/route';
import { z } from 'zod';

/** Where other processes of this installation put their questions to the services of this one. */
export function questionRoutes(services: readonly Service[], answers: LocalAnswers): AnyRoute[] {
  return services.flatMap(service =>
    service.answers.map(({ question }) =>
      defineRoute({
        method: 'POST',
        path: questionPath(question),
        summary: `Answers ${question.name} for another process of this installation`,
        auth: internal(),
        body: z.strictObject({ input: question.input }),
        returns: { 200: z.strictObject({ answer: question.output }) },
        idempotency: { none: 'a question is asked again, not replayed' },
        transaction: 'none',
        async handler(_ctx, { body }, request) {
          const hops = request.headers[HOPS_HEADER];
          const handle = answers.get(question.name) as (input: unknown) => Promise<unknown>;
          const answer = await atHop(typeof hops === 'string' ? hops : undefined, () => handle(body.input));
          return { status: 200 as const, body: { answer } };
        },
      }),
    ),
  );
}
