import { type Answer, type Answering, type Call, VendorSimulator } from '@ghasi/http/vendor-simulator';
import { SimulatedLocks } from './simulated-locks.ts';

/** What a call to a vendor does; faults are ordered by it. */
export type Operation = 'sign-in' | 'issue' | 'find' | 'change' | 'remove' | 'sleep' | 'inspect' | 'encode';

/** Why a vendor does nothing; each has its own words for it. */
type Refusal = 'rate_limited' | 'token_expired' | 'lock_offline';

/** A vendor's own way to speak. */
export type Protocol = {
  readonly name: string;
  /** Codes die when nobody uses them within a day. */
  readonly diesUnused?: boolean;
  read(call: Call, world: SimulatedLocks): Answering<Operation> | Answer | undefined;
  /** How this vendor says these things. */
  readonly says: Readonly<Record<Refusal, Answer>>;
};

/** A maker of locks. It can also refuse in its own words, or be reached by a request twice (`duplicate`). */
export class LockSimulator extends VendorSimulator<Operation, 'duplicate' | Refusal> {
  readonly world: SimulatedLocks;
  readonly protocol: Protocol;

  constructor(protocol: Protocol) {
    const { says, diesUnused = false } = protocol;
    const world = new SimulatedLocks({ diesUnused });
    super({
      read: call => protocol.read(call, world),
      faults: {
        duplicate(run) {
          const answer = run();
          run();
          return answer;
        },
        rate_limited: () => says.rate_limited,
        token_expired: () => says.token_expired,
        lock_offline: () => says.lock_offline,
      },
    });
    this.world = world;
    this.protocol = protocol;
  }
}
