import { expect } from 'vitest';

/** An event that happened. Events of one key have an order. */
export type Happened = { readonly subject: string; readonly payload: unknown; readonly key: string };

type Wanted = { readonly event: { readonly subject: string }; readonly payload: unknown };

/**
 * Compares what happened with what was expected: the same number, payloads by the parts that were named, and in order
 * where events share a key. Fails with a difference of the two lists.
 */
export function expectEvents(happened: readonly Happened[], expected: readonly Wanted[]): void {
  const wanted = expected.map(({ event, payload }) => ({ subject: event.subject, payload }));
  const found = arranged(happened, wanted).map(({ subject, payload }) => ({ subject, payload }));
  expect(found, 'events').toMatchObject(wanted);
}

/**
 * What happened, in the order in which it was expected: keys have no order among each other. Each wish takes the first
 * event that fits it; a wish without one is set against something it was not, so that the difference shows why. What
 * came earlier in its key and was taken later leaves the list as it was.
 */
function arranged(
  happened: readonly Happened[],
  wanted: readonly { subject: string }[],
): readonly Happened[] {
  const left = [...happened];
  const take = (fitting: (event: Happened) => boolean) => {
    const index = left.findIndex(fitting);
    return index < 0 ? undefined : left.splice(index, 1)[0];
  };
  const exact = wanted.map(wish => take(event => fits(event, wish)));
  const taken = exact.filter(event => event !== undefined);
  if (!inOrder(taken, happened)) return happened;
  const filled = exact.map((event, at) => event ?? take(({ subject }) => subject === wanted[at]?.subject));
  return [...filled.map(event => event ?? take(() => true)).filter(event => event !== undefined), ...left];
}

function inOrder(taken: readonly Happened[], happened: readonly Happened[]): boolean {
  return [...Map.groupBy(taken, ({ key }) => key).values()].every(same => {
    const places = same.map(event => happened.indexOf(event));
    return places.every((place, index) => index === 0 || place > (places[index - 1] as number));
  });
}

function fits({ subject, payload }: Happened, wish: object): boolean {
  try {
    expect({ subject, payload }).toMatchObject(wish);
    return true;
  } catch {
    return false;
  }
}
