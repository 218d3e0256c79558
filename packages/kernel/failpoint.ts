/** What an armed failpoint does: throw, end the process, or run a test's own code (which may wait). */
export type FailpointAction = 'error' | 'crash' | (() => void | Promise<void>);

/** Thrown by a failpoint armed with 'error'. */
export class FailpointError extends Error {
  readonly failpoint: string;

  constructor(name: string) {
    super(`failpoint ${name} was armed to fail`);
    this.name = 'FailpointError';
    this.failpoint = name;
  }
}

/** Ends the process at once without any clean-up; the host injects it, because this package knows no process. */
export type Crash = () => void;

type Armed = { readonly action: () => void | Promise<void>; hitsLeft: number };

/** Counting down from it never reaches another value. */
const EVERY_HIT = Number.NEGATIVE_INFINITY;

const armed = new Map<string, Armed>();

/** A named place where a test can make the code fail, wait or die. Costs one size check when nothing is armed. */
export function failpoint(name: string): void | Promise<void> {
  if (armed.size === 0) return;
  const point = armed.get(name);
  if (point === undefined) return;
  point.hitsLeft -= 1;
  // Passed by earlier hits, fires on the chosen one and stays quiet after: a retry must be able to succeed.
  if (point.hitsLeft === 0 || point.hitsLeft === EVERY_HIT) return point.action();
}

/**
 * Arms a failpoint for every hit, or only for the n-th with `onHit` (1 = the next). Returns its own disarm.
 * 'crash' needs `crash`.
 */
export function armFailpoint(
  name: string,
  action: FailpointAction,
  options: { onHit?: number; crash?: Crash } = {},
): () => void {
  const { onHit, crash } = options;
  if (!/^[a-z0-9][a-z0-9.:_-]*$/.test(name)) throw new TypeError(`"${name}" is not a failpoint name`);
  if (onHit !== undefined && !(Number.isSafeInteger(onHit) && onHit > 0)) {
    throw new TypeError(`failpoint ${name}: onHit must be 1 or more, got ${onHit}`);
  }
  const point: Armed = {
    action: toFunction(name, action, crash),
    hitsLeft: onHit ?? EVERY_HIT,
  };
  armed.set(name, point);
  return () => {
    if (armed.get(name) === point) armed.delete(name);
  };
}

function toFunction(name: string, action: FailpointAction, crash: Crash | undefined) {
  if (typeof action === 'function') return action;
  if (action === 'error') {
    return () => {
      throw new FailpointError(name);
    };
  }
  if (crash === undefined) {
    throw new TypeError(`failpoint ${name}: 'crash' needs a crash function, e.g. one that sends SIGKILL`);
  }
  return () => {
    crash();
    // Reached only when the injected function did not end the process; going on would hide that.
    throw new FailpointError(name);
  };
}

/** Disarms everything; call it after each test. */
export function disarmFailpoints(): void {
  armed.clear();
}

/** Whether a failpoint is armed: for code that is in no hurry otherwise to have done what must be done at that place. */
export function isArmed(name: string): boolean {
  return armed.size > 0 && armed.has(name);
}

/** Names that are armed now; a production boot refuses to go on unless this is empty. */
export function armedFailpoints(): string[] {
  return [...armed.keys()].sort();
}

/**
 * Arms what `MELM_FAILPOINTS` lists: `name=crash,name2=error,name3=crash@2` (`@2` = on the second hit only).
 * Nothing is armed when any part is malformed.
 */
export function armFailpointsFromEnv(
  env: Readonly<Record<string, string | undefined>>,
  options: { crash?: Crash } = {},
): void {
  const list = env.MELM_FAILPOINTS?.trim() ?? '';
  if (list === '') return;
  const wanted = list.split(',').map(part => {
    const [, name, action, hit] =
      /^([a-z0-9][a-z0-9.:_-]*)=(crash|error)(?:@([1-9]\d{0,8}))?$/.exec(part.trim()) ?? [];
    if (name === undefined || action === undefined) {
      throw new TypeError(
        `MELM_FAILPOINTS: "${part.trim()}" is not like name=crash, name=error or name=crash@2`,
      );
    }
    if (action === 'crash' && options.crash === undefined) {
      throw new TypeError(`MELM_FAILPOINTS: ${name}=crash cannot be armed here, no crash function was given`);
    }
    return { name, action: action as 'crash' | 'error', onHit: hit === undefined ? undefined : Number(hit) };
  });
  for (const { name, action, onHit } of wanted) {
    armFailpoint(name, action, { ...options, ...(onHit === undefined ? {} : { onHit }) });
  }
}
