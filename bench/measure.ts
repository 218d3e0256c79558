/** How long and how often each variant is measured. */
export type BenchOptions = {
  seconds: number;
  rounds: number;
  json: boolean;
  /** Contenders to run, where a benchmark has several; empty: all. */
  only: readonly string[];
  /** Producers and consumers share a process, where a benchmark has both. */
  oneProcess: boolean;
};

/** One way of doing the same work. */
export type Variant = { name: string; note: string; once(): Promise<unknown> };

/** What was measured of it: operations per second of every round, and their median. */
export type Measured = { name: string; note: string; rounds: number[]; median: number };

/**
 * Runs every variant with `workers` at once for `seconds`, in turn, `rounds` times. Taking turns keeps a slow minute
 * of the machine from falling on one variant alone.
 */
export async function measure(
  variants: readonly Variant[],
  options: { workers: number; seconds: number; rounds: number },
): Promise<Measured[]> {
  const results = variants.map(({ name, note }) => ({ name, note, rounds: [] as number[], median: 0 }));
  for (let round = 1; round <= options.rounds; round++) {
    for (const [index, variant] of variants.entries()) {
      await rate(variant, { ...options, seconds: 0.5 }); // warm connections and plans
      const perSecond = await rate(variant, options);
      results[index]?.rounds.push(perSecond);
      console.error(
        `  round ${round}/${options.rounds}  ${variant.name.padEnd(44)} ${perSecond.toFixed(0).padStart(7)}/s`,
      );
    }
  }
  for (const result of results) result.median = median(result.rounds);
  return results;
}

/**
 * How many times faster than `base`: the median of the ratios of each round. Both were measured within seconds of each
 * other, so a slow minute of the machine cancels out.
 */
export function ratio(measured: Measured, base: Measured): number {
  return median(measured.rounds.map((perSecond, round) => perSecond / (base.rounds[round] as number)));
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1] as number;
}

async function rate(variant: Variant, options: { workers: number; seconds: number }): Promise<number> {
  const started = performance.now();
  const end = started + options.seconds * 1000;
  let done = 0;
  const worker = async () => {
    while (performance.now() < end) {
      await variant.once();
      done++;
    }
  };
  await Promise.all(Array.from({ length: options.workers }, worker));
  return done / ((performance.now() - started) / 1000);
}
