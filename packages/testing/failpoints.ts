import { armFailpoint, disarmFailpoints } from '@ghasi/domain-primitives/failpoint';
import { onTestFinished } from 'vitest';
import { type Signal, signal } from './signal.ts';

/** Makes the named point throw, until the test ends. */
export function failAt(name: string, error: Error = new Error(`failpoint ${name}`)): void {
  armFailpoint(name, () => {
    throw error;
  });
  onTestFinished(disarmFailpoints);
}

/** Holds everybody at the named point: `reached` fires with the first arrival, `release` lets them go on. */
export function holdAt(name: string): { reached: Promise<void>; release(): void } {
  const reached: Signal<void> = signal();
  const released: Signal<void> = signal();
  armFailpoint(name, () => {
    reached.fire();
    return released.promise;
  });
  onTestFinished(() => {
    released.fire();
    disarmFailpoints();
  });
  return { reached: reached.promise, release: released.fire };
}
