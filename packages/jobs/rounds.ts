import type { TenantId } from '@ghasi/domain-primitives/ids';
import { inTurn, type Rounds } from './in-turn.ts';

/** Goes round once; `due` gives the first so many. Says how many had their turn. */
export type Round<One> = (
  ctx: Rounds,
  due: (most: number) => Promise<readonly One[]>,
  lookAfter: (one: One) => Promise<unknown>,
) => Promise<number>;

/**
 * Rounds in which at most `most` have their turn. Who had it and is due all the same, because it failed or what it enqueued did,
 * stands behind everybody else in the next ones, the longest ago first: however many fail and fail, they hide nobody.
 * This process remembers them; another one finds out by itself. `nameOf` tells them apart; default: by all they have.
 */
export function rounds<One extends { tenantId: TenantId }>({
  most,
  nameOf = JSON.stringify,
}: {
  most: number;
  nameOf?: (one: One) => string;
}): Round<One> {
  let before = new Set<string>();
  return async (ctx, due, lookAfter) => {
    const found = new Map((await due(most + before.size)).map(one => [nameOf(one), one]));
    before = new Set([...before].filter(name => found.has(name)));
    const first = [...found.keys()].filter(name => !before.has(name));
    const turns = [...first, ...before].slice(0, most).map(name => found.get(name) as One);
    await inTurn(ctx, turns, one => {
      const name = nameOf(one);
      before.delete(name);
      before.add(name);
      return lookAfter(one);
    });
    return turns.length;
  };
}
