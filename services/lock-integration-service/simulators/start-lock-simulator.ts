import { ttlockVendor } from '../adapters/ttlock.ts';
import type { LockVendor } from '../lock-vendor.ts';
import { LockSimulator } from './simulator.ts';
import { ttlockProtocol } from './ttlock.ts';

/** A simulated maker of locks that runs in this process. */
export type RunningSimulator = {
  readonly url: string;
  /** Pass these to the service. */
  readonly vendors: readonly LockVendor[];
  readonly simulator: LockSimulator;
  stop(): Promise<void>;
};

/**
 * Starts a TTLock cloud on this machine, whose locks exist as soon as somebody names them. For demos and tests: every
 * tenant has an account there, and nothing opens a real door.
 */
export async function startLockSimulator({ port = 0 }: { port?: number } = {}): Promise<RunningSimulator> {
  const simulator = new LockSimulator(ttlockProtocol);
  const url = await simulator.listen(port);
  const vendor = ttlockVendor({
    baseUrl: url,
    accountOf: tenantId => ({
      clientId: 'simulator',
      clientSecret: 'simulator',
      username: tenantId,
      password: 'simulator',
    }),
  });
  return { url, vendors: [vendor], simulator, stop: () => simulator.close() };
}
