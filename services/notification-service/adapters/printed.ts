import type { MessageChannel } from '../message-channel.ts';

/** Paper: the text lies ready at the front desk, and the guest stands there. */
export function printedChannel(): MessageChannel {
  return {
    channel: 'printed',
    provider: 'front_desk',
    isRemote: false,
    send: async ({ messageId }) => ({ state: 'accepted', reference: messageId }),
    readReceipts: () => undefined,
  };
}
