import { signWebhook } from '@ghasi/http/webhook-signature';
import type { ProviderEvent } from './simulated-provider.ts';
import type { Protocol } from './simulator.ts';

type Content = {
  text?: { body: string };
  template?: { components: { parameters: { text: string }[] }[] };
};

/** A provider shaped like Meta's Cloud API: what is sent twice arrives twice, but it can be asked. */
export const whatsappProtocol: Protocol = {
  name: 'whatsapp',
  read({ method, path, query, body }, provider) {
    if (!/^\/v\d+\.0\/[^/]+\/messages$/.test(path)) return undefined;
    if (method === 'GET') {
      const [account, reference] = split(query.get('biz_opaque_callback_data') ?? '');
      const known = provider.byReference(reference);
      const status = known?.status === 'queued' ? 'sent' : known?.status;
      const statuses =
        known === undefined || known.account !== account
          ? []
          : [
              statusOf({
                id: '',
                message: known,
                status: status as 'sent',
                errorCode: known.errorCode,
                at: known.updatedAt,
              }),
            ];
      return { operation: 'inquire', run: () => ({ status: 200, body: { statuses } }) };
    }
    return {
      operation: 'send',
      run() {
        const refusal = provider.nextRefusal();
        if (refusal !== undefined)
          return { status: 400, body: { error: { code: refusal, message: 'refused' } } };
        const [account, reference] = split(String(body.biz_opaque_callback_data));
        const { text, template } = body as Content;
        const taken = provider.take({
          reference,
          account,
          to: `+${String(body.to)}`,
          text: text?.body ?? template?.components[0]?.parameters[0]?.text ?? '',
          receiptUrl: '', // one address for all, set in the app's dashboard
        });
        const answer = { messaging_product: 'whatsapp', messages: [{ id: wamid(taken.id) }] };
        return { status: 200, body: answer };
      },
    };
  },
  webhook: event => ({
    object: 'whatsapp_business_account',
    entry: [{ id: '1', changes: [{ field: 'messages', value: { statuses: [statusOf(event)] } }] }],
  }),
  sign: (secret, timestamp, bodySha256) => ({
    'x-hub-timestamp': timestamp,
    'x-hub-signature-256': `sha256=${signWebhook(secret, { timestamp, bodySha256 })}`,
  }),
};

/** Ids with characters that our events do not carry. */
const wamid = (id: string) => `wamid.HBgL/${id}==`;

function split(opaque: string): [account: string, reference: string] {
  const [account = '', reference = ''] = opaque.split('/', 2);
  return [account, reference];
}

function statusOf({ message, status, errorCode, at }: ProviderEvent) {
  return {
    id: wamid(message.id),
    status,
    timestamp: String(Math.floor(at.getTime() / 1_000)),
    recipient_id: message.to.slice(1),
    biz_opaque_callback_data: `${message.account}/${message.reference}`,
    ...(errorCode === null ? {} : { errors: [{ code: errorCode }] }),
  };
}
