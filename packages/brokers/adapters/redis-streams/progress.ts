/** Numbers that were given out in rising order per shard, and which of them are not done. */
export class Progress {
  readonly #shards = new Map<number, { queue: number[]; done: Set<number> }>();

  begin(shard: number, off: number): void {
    const open = this.#shards.get(shard);
    if (open === undefined) this.#shards.set(shard, { queue: [off], done: new Set() });
    else open.queue.push(off);
  }

  finish(shard: number, off: number): void {
    const open = this.#shards.get(shard);
    if (open === undefined) return;
    open.done.add(off);
    let finished = 0;
    while (open.done.delete(open.queue[finished] ?? Number.NaN)) finished++;
    open.queue.splice(0, finished);
    if (open.queue.length === 0) this.#shards.delete(shard);
  }

  /** The oldest that is not done, or undefined. */
  get oldest(): number | undefined {
    let oldest: number | undefined;
    for (const { queue } of this.#shards.values())
      oldest = Math.min(oldest ?? Number.POSITIVE_INFINITY, queue[0] as number);
    return oldest;
  }
}
