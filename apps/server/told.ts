/**
 * What the work gives; or, as soon as somebody who waits for it is told to end, the reason of the signal. What the work does
 * after that interests nobody.
 */
export async function unlessTold<T>(signal: AbortSignal | undefined, work: Promise<T>): Promise<T> {
  if (signal === undefined) return work;
  const told = Promise.withResolvers<never>();
  const onTold = () => told.reject(signal.reason);
  if (signal.aborted) onTold();
  signal.addEventListener('abort', onTold);
  try {
    return await Promise.race([told.promise, work]);
  } finally {
    signal.removeEventListener('abort', onTold);
  }
}
