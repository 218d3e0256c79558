/** `forget` ends the watch. `notEnding` settles at once; never while the process ends, for then only that is waited for. */
export type Watch = { forget(): void; notEnding(): Promise<void> };

const EPIPE_EXIT = 141; // as if SIGPIPE had ended it

/**
 * Stops what is being opened, or is open, when this process is told to end by Ctrl-C or SIGTERM, when nobody reads its output any
 * more or nobody catches an error; then exits. An embedded server has a process group of its own and would stay. A second
 * signal waits for nothing.
 */
export function stopOnSignal(opening: Promise<{ stop(): Promise<unknown> }>): Watch {
  let ending: Promise<never> | undefined;
  const end = (code: number) => {
    const exit = () => process.exit(code);
    ending = opening.then(({ stop }) => stop()).then(exit, exit);
  };
  const onSignal = (_: NodeJS.Signals, number: number) => {
    if (ending !== undefined) process.exit(128 + number);
    end(128 + number);
  };
  const onError = (error: Error) => {
    if (ending !== undefined) return; // what the work says of a server that goes away is of no interest
    const isClosed = (error as NodeJS.ErrnoException).code === 'EPIPE';
    if (!isClosed) process.stderr.write(`${error?.stack ?? error}\n`);
    end(isClosed ? EPIPE_EXIT : 1);
  };
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal).on('uncaughtException', onError);
  return {
    forget: () =>
      void process.off('SIGINT', onSignal).off('SIGTERM', onSignal).off('uncaughtException', onError),
    notEnding: async () => void (await ending),
  };
}
