import { expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import type { Principal } from './principal.ts';
import { type AnyRoute, defineRoute, isIdempotent, open, operator } from './route.ts';

const thing = {
  summary: 'A thing',
  returns: { 201: z.object({ id: z.string() }), 204: z.undefined() },
} as const;

test('the types of schemas, auth and transaction reach the handler, also inside a list of routes', () => {
  const routes: AnyRoute[] = [
    defineRoute({
      ...thing,
      method: 'POST',
      path: '/v1/things/:thingId',
      auth: operator(['clerk']),
      params: z.strictObject({ thingId: z.string() }),
      body: z.strictObject({ nights: z.coerce.bigint() }),
      async handler(ctx, { params, body, query }) {
        expectTypeOf(ctx.principal).toEqualTypeOf<Principal>();
        expectTypeOf(ctx).toHaveProperty('tx');
        expectTypeOf(params).toEqualTypeOf<{ thingId: string }>();
        expectTypeOf(body.nights).toEqualTypeOf<bigint>();
        expectTypeOf(query).toEqualTypeOf<undefined>();
        return { status: 201, body: { id: params.thingId } };
      },
    }),
    defineRoute({
      ...thing,
      method: 'GET',
      path: '/v1/open',
      auth: open(),
      transaction: 'none',
      async handler(ctx) {
        expectTypeOf(ctx.principal).toEqualTypeOf<undefined>();
        expectTypeOf(ctx).not.toHaveProperty('tx');
        return { status: 204 };
      },
    }),
  ];
  expect(routes.map(isIdempotent)).toEqual([true, false]);
});

test('a status or a body that the route does not declare does not compile', () => {
  const shared = { ...thing, method: 'GET', path: '/v1/things', auth: open(), transaction: 'none' } as const;
  // @ts-expect-error 200 is not declared
  defineRoute({ ...shared, handler: async () => ({ status: 200, body: { id: '1' } }) });
  // @ts-expect-error the id is a string
  defineRoute({ ...shared, handler: async () => ({ status: 201, body: { id: 1 } }) });
  // @ts-expect-error 201 has a body
  defineRoute({ ...shared, handler: async () => ({ status: 201 }) });
});

test('every method but GET is idempotent unless a reason says otherwise', () => {
  expect(isIdempotent({ method: 'DELETE' })).toBe(true);
  expect(isIdempotent({ method: 'POST', idempotency: { none: 'signing in twice is harmless' } })).toBe(false);
  expect(isIdempotent({ method: 'GET' })).toBe(false);
});
