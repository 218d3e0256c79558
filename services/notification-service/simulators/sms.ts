import { signWebhook } from '@ghasi/http/webhook-signature';
import type { ProviderEvent, SimulatedMessage } from './simulated-provider.ts';
import type { Protocol } from './simulator.ts';

/** A provider shaped like Twilio that knows keys against repetition. */
export const smsProtocol: Protocol = {
  name: 'sms',
  read({ method, path, query, headers, body }, provider) {
    if (!/^\/2010-04-01\/Accounts\/[^/]+\/Messages\.json$/.test(path)) return undefined;
    if (method === 'GET') {
      const known = provider.byReference(query.get('ClientReference') ?? '');
      const messages = known === undefined ? [] : [viewOf(known)];
      return { operation: 'inquire', run: () => ({ status: 200, body: { messages } }) };
    }
    return {
      operation: 'send',
      run() {
        const known = provider.byReference(String(headers['idempotency-key']));
        if (known !== undefined) return { status: 201, body: viewOf(known) };
        const refusal = provider.nextRefusal();
        if (refusal !== undefined) return { status: 400, body: { code: refusal, message: 'refused' } };
        const taken = provider.take({
          reference: String(body.ClientReference),
          account: String(body.Account),
          to: String(body.To),
          text: String(body.Body),
          receiptUrl: String(body.StatusCallback),
        });
        return { status: 201, body: viewOf(taken) };
      },
    };
  },
  webhook: ({ id, message, status, errorCode, at }: ProviderEvent) => ({
    id,
    account: message.account,
    clientReference: message.reference,
    sid: message.id,
    status,
    errorCode,
    updatedAt: at.toISOString(),
  }),
  sign: (secret, timestamp, bodySha256) => ({
    'sms-signature': `t=${timestamp},v1=${signWebhook(secret, { timestamp, bodySha256 })}`,
  }),
};

function viewOf({ id, status, errorCode, updatedAt }: SimulatedMessage) {
  return { sid: id, status, errorCode, updatedAt: updatedAt.toISOString() };
}
