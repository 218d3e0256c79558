/** What a use case returns when it did something others should know: the answer, and the events. */
export type Accepted<T> = { readonly value: T; readonly events: readonly unknown[] };

/** The answer without its events. */
export type ValueOf<R> = R extends Accepted<infer T> ? T : R;

const made = new WeakSet<object>();

/** Ends a use case: `return accepted(booking, [BookingHeld.from(…)])`. The transaction appends the events. */
export function accepted<T>(value: T, events: readonly unknown[]): Accepted<T> {
  const result = { value, events };
  made.add(result);
  return result;
}

/** True for what `accepted` returned; a look-alike is an ordinary value. */
export function isAccepted(value: unknown): value is Accepted<unknown> {
  return typeof value === 'object' && value !== null && made.has(value);
}
