import { AsyncLocalStorage } from 'node:async_hooks';
import { coreErrors, defineErrors } from '@ghasi/domain-primitives/errors';
import type { Ask, Question } from './question.ts';

/** What can go wrong between two services. */
export const askErrors = defineErrors('backbone', {
  QUESTION_TOO_DEEP: {
    status: 500,
    text: 'Question {name} would be hop {depth}; at most {most} are allowed',
  },
  QUESTION_UNKNOWN: { status: 404, text: 'Nobody here answers {name}' },
});

/** How many synchronous hops a request may take (ledger GEN-19). */
export const MOST_HOPS = 2;

/** Carries the number of hops already taken to another process. */
export const HOPS_HEADER = 'x-melm-hops';

const hops = new AsyncLocalStorage<number>();

/** Answers one question in this process; throws QUESTION_UNKNOWN for a name it does not serve. */
export type LocalAnswers = ReadonlyMap<string, (input: unknown) => Promise<unknown>>;

/** Where other processes answer, and how to prove who asks. */
export type Peers = { urlOf(schema: string): string | undefined; token(schema: string): Promise<string> };

/** Builds the `ask` of this process: local answers first, then the peer that owns the question. */
export function createAsk(local: LocalAnswers, peers?: Peers): Ask {
  return async (question, input) => {
    const depth = (hops.getStore() ?? 0) + 1;
    if (depth > MOST_HOPS) throw askErrors.QUESTION_TOO_DEEP({ name: question.name, depth, most: MOST_HOPS });
    const parsed = question.input.parse(input);
    const here = local.get(question.name);
    const reply =
      here !== undefined
        ? await hops.run(depth, () => here(parsed))
        : await askPeer(question, parsed, depth, peers);
    return question.output.parse(reply) as never;
  };
}

/** The route at which a process answers a question for others: `/internal/questions/iam/verify-access`. */
export function questionPath(question: Question): string {
  return `/internal/questions/${question.name.replace('.', '/')}`;
}

/** Runs `work` as the hop a peer's request says it is. */
export function atHop<T>(header: string | undefined, work: () => Promise<T>): Promise<T> {
  const depth = Number(header ?? 1);
  return hops.run(Number.isInteger(depth) && depth > 0 ? depth : MOST_HOPS, work);
}

async function askPeer(question: Question, input: unknown, depth: number, peers: Peers | undefined) {
  const schema = question.name.slice(0, question.name.indexOf('.'));
  const base = peers?.urlOf(schema);
  if (peers === undefined || base === undefined) throw askErrors.QUESTION_UNKNOWN({ name: question.name });
  let response: Response;
  try {
    response = await fetch(new URL(questionPath(question), base), {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${await peers.token(schema)}`,
        [HOPS_HEADER]: String(depth),
      },
      body: JSON.stringify({ input }),
      signal: AbortSignal.timeout(5_000),
    });
  } catch (error) {
    throw coreErrors.UNAVAILABLE({ what: question.name }, { cause: error });
  }
  if (!response.ok) throw coreErrors.UNAVAILABLE({ what: question.name, status: response.status });
  return ((await response.json()) as { answer: unknown }).answer;
}
