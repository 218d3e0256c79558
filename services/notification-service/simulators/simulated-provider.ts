/** A message a simulated provider was given. */
export type SimulatedMessage = {
  readonly id: string;
  /** Our key of the try. */
  readonly reference: string;
  readonly account: string;
  readonly to: string;
  readonly text: string;
  readonly receiptUrl: string;
  status: 'queued' | 'delivered' | 'failed';
  errorCode: number | null;
  updatedAt: Date;
};

/** Something a provider would tell its customer. */
export type ProviderEvent = {
  readonly id: string;
  readonly message: SimulatedMessage;
  readonly status: 'sent' | 'delivered' | 'failed';
  readonly errorCode: number | null;
  readonly at: Date;
};

export type NewMessage = Pick<SimulatedMessage, 'reference' | 'account' | 'to' | 'text' | 'receiptUrl'>;

/** What every provider of short messages keeps, whatever its protocol. */
export class SimulatedProvider {
  /** Everything that reached a telephone, in order: a text that was taken twice is here twice. */
  readonly taken: SimulatedMessage[] = [];
  readonly #tell: (event: ProviderEvent) => void;
  readonly #refusals: number[] = [];
  #count = 0;

  constructor(tell: (event: ProviderEvent) => void) {
    this.#tell = tell;
  }

  /** The next messages are refused with these codes, one after the other. */
  refuseNext(...codes: number[]): void {
    this.#refusals.push(...codes);
  }

  nextRefusal(): number | undefined {
    return this.#refusals.shift();
  }

  byReference(reference: string): SimulatedMessage | undefined {
    return this.taken.find(one => one.reference === reference);
  }

  take(wanted: NewMessage): SimulatedMessage {
    this.#count += 1;
    const id = `SM${String(this.#count).padStart(8, '0')}`;
    const message: SimulatedMessage = {
      ...wanted,
      id,
      status: 'queued',
      errorCode: null,
      updatedAt: new Date(),
    };
    this.taken.push(message);
    this.#say(message, 'sent', null);
    return message;
  }

  deliver(message: SimulatedMessage): void {
    message.status = 'delivered';
    message.updatedAt = new Date();
    this.#say(message, 'delivered', null);
  }

  fail(message: SimulatedMessage, errorCode: number): void {
    message.status = 'failed';
    message.errorCode = errorCode;
    message.updatedAt = new Date();
    this.#say(message, 'failed', errorCode);
  }

  #say(message: SimulatedMessage, status: ProviderEvent['status'], errorCode: number | null): void {
    this.#tell({ id: `${message.id}-${status}`, message, status, errorCode, at: message.updatedAt });
  }
}
