import { createServer } from 'node:http';
import { createLogger } from '@ghasi/telemetry/logger';
import { afterEach, expect, test } from 'vitest';
import { z } from 'zod';
import { atHop, createAsk, HOPS_HEADER } from './ask.ts';
import { type Ask, answer, defineQuestion } from './question.ts';

const double = defineQuestion({
  name: 'maths.double',
  input: z.strictObject({ n: z.number(), note: z.string().optional() }),
  output: z.strictObject({ n: z.number() }),
});
const chain = defineQuestion({
  name: 'maths.chain',
  input: z.strictObject({ left: z.number() }),
  output: z.number(),
});

const log = createLogger({ name: 'test', level: 'silent' });

/** Answers of one process, as apps/server wires them. */
function processOf(answers: ReturnType<typeof answer>[], peers?: Parameters<typeof createAsk>[1]) {
  const local = new Map<string, (input: unknown) => Promise<unknown>>();
  const ask: Ask = createAsk(local, peers);
  for (const { question, handle } of answers) {
    local.set(question.name, input =>
      handle({ db: undefined as never, ask, log }, question.input.parse(input)),
    );
  }
  return { ask, local };
}

const doubles = answer(double, async (_ctx, { n }) => ({ n: n * 2 }));
const chains = answer(chain, async ({ ask }, { left }) =>
  left === 0 ? 0 : 1 + (await ask(chain, { left: left - 1 })),
);

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

test('a question is answered in the same process', async () => {
  const { ask } = processOf([doubles]);
  expect(await ask(double, { n: 21 })).toEqual({ n: 42 });
});

test('what does not fit the question is refused before anybody is asked', async () => {
  const { ask } = processOf([doubles]);
  await expect(ask(double, { n: 'many' } as never)).rejects.toThrow();
});

test('an answer that breaks its contract never reaches the asker', async () => {
  const { ask } = processOf([answer(double, async () => ({ n: 'a lot' }) as never)]);
  await expect(ask(double, { n: 1 })).rejects.toThrow();
});

test('GEN-19, ANTI-01: a third hop is refused', async () => {
  const { ask } = processOf([chains]);
  expect(await ask(chain, { left: 1 })).toBe(1);
  await expect(ask(chain, { left: 2 })).rejects.toMatchObject({ code: 'QUESTION_TOO_DEEP' });
});

test('GEN-19: hops are counted across processes', async () => {
  const { ask } = processOf([chains]);
  await expect(atHop('2', () => ask(chain, { left: 0 }))).rejects.toMatchObject({
    code: 'QUESTION_TOO_DEEP',
  });
  expect(await atHop('1', () => ask(chain, { left: 0 }))).toBe(0);
  await expect(atHop('nonsense', () => ask(chain, { left: 0 }))).rejects.toMatchObject({
    code: 'QUESTION_TOO_DEEP',
  });
});

test('a question nobody answers says so', async () => {
  const { ask } = processOf([]);
  await expect(ask(double, { n: 1 })).rejects.toMatchObject({ code: 'QUESTION_UNKNOWN' });
});

/** A peer that answers with whatever `reply` says, and remembers what it was asked. */
async function peer(reply: (body: string) => { status: number; body: string }) {
  const asked: {
    path: string | undefined;
    authorization: string | undefined;
    hops: unknown;
    body: string;
  }[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', chunk => (body += chunk));
    request.on('end', () => {
      asked.push({
        path: request.url,
        authorization: request.headers.authorization,
        hops: request.headers[HOPS_HEADER],
        body,
      });
      const { status, body: text } = reply(body);
      response.writeHead(status, { 'content-type': 'application/json' }).end(text);
    });
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => new Promise(resolve => server.close(resolve)));
  const { port } = server.address() as { port: number };
  const peers = {
    urlOf: () => `http://127.0.0.1:${port}`,
    token: async (schema: string) => `token-for-${schema}`,
  };
  return { asked, ask: processOf([], peers).ask };
}

test('a question of another process travels over HTTP with proof of who asks', async () => {
  const { asked, ask } = await peer(() => ({ status: 200, body: '{"answer":{"n":8}}' }));
  expect(await ask(double, { n: 4, note: undefined })).toEqual({ n: 8 });
  expect(asked).toEqual([
    {
      path: '/internal/questions/maths/double',
      authorization: 'Bearer token-for-maths',
      hops: '1',
      body: '{"input":{"n":4}}',
    },
  ]);
});

test('a peer that fails or is away is UNAVAILABLE', async () => {
  const { ask } = await peer(() => ({ status: 500, body: '{}' }));
  await expect(ask(double, { n: 4 })).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  const nowhere = processOf([], { urlOf: () => 'http://127.0.0.1:1', token: async () => 't' });
  await expect(nowhere.ask(double, { n: 4 })).rejects.toMatchObject({ code: 'UNAVAILABLE' });
});
