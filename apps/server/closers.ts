/** What has been opened, to be closed in reverse order. */
export type Closers = { add(close: () => Promise<unknown> | unknown): void; closeAll(): Promise<void> };

/** A stack of closers. Each runs once, also when others fail; the first failure is reported at the end. */
export function closers(): Closers {
  const stack: (() => Promise<unknown> | unknown)[] = [];
  let closing: Promise<void> | undefined;
  return {
    add: close => stack.push(close),
    closeAll: () => (closing ??= unwind(stack)),
  };
}

async function unwind(stack: (() => Promise<unknown> | unknown)[]): Promise<void> {
  const failures: unknown[] = [];
  for (let close = stack.pop(); close !== undefined; close = stack.pop()) {
    try {
      await close();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}
