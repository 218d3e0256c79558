/** Who in this process wants to know of new jobs, by pg-boss queue. */
const listeners = new Set<(bossQueue: string) => void>();

/** Calls back when a job that may start at once was committed here; the answer ends it. Other processes find it by polling. */
export function onEnqueued(listener: (bossQueue: string) => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** A job is there. */
export function tellEnqueued(bossQueue: string): void {
  for (const listener of listeners) listener(bossQueue);
}
