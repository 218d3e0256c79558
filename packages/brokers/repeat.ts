/** Something that is done again and again. */
export type Repeated = {
  /** Ends it, and waits for what is under way. */
  stop(): Promise<void>;
};

/** Does something again and again, never twice at once; a failure is told and does not end it. */
export function repeat(
  everyMs: number,
  work: () => Promise<unknown>,
  onError: (error: unknown) => void,
): Repeated {
  let running: Promise<void> | undefined;
  const timer = setInterval(() => {
    running ??= work()
      .then(() => {}, onError)
      .finally(() => {
        running = undefined;
      });
  }, everyMs);
  return {
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}
