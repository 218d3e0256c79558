import type { Gateway } from '../gateway.ts';

/** Cash at the desk: nobody is called. A promise stays one until somebody takes the notes, and refunds are notes too. */
export function cashGateway(): Gateway {
  return {
    rails: ['cash', 'cash_pending'],
    isRemote: false,
    provider: 'desk',
    open: async () => ({ state: 'promised' }),
    inquire: async () => ({ state: 'promised' }),
    cancel: async () => ({ state: 'cancelled' }),
    refund: async () => ({ state: 'at_desk' }),
    inquireRefund: async () => ({ state: 'at_desk' }),
    readNotice: () => undefined,
  };
}
