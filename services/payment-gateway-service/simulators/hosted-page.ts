import type { SimulatedCheckout } from './simulated-provider.ts';

/** What the guest chose on the page. */
export type Choice = 'pay' | 'decline' | 'cancel';

/** Reads the page's form. A card that ends in 0002 is declined; nothing else of it is looked at, and nothing is kept. */
export function readForm(text: string): { choice: Choice } {
  const form = new URLSearchParams(text);
  const action = form.get('action');
  if (action === 'cancel' || action === 'decline') return { choice: action };
  return { choice: (form.get('secret') ?? '').replaceAll(/\s/g, '').endsWith('0002') ? 'decline' : 'pay' };
}

/** What the guest types at each kind of provider. */
const fields: Readonly<Record<string, string>> = {
  card: field('Card number', '4000 0000 0000 0000'),
  mobile_money: field('Phone number', '+93 70 000 0000'),
};

/** The provider's page: plain HTML that works without scripts. */
export function hostedPage(
  kind: string,
  { id, amount, currency, description }: Readonly<SimulatedCheckout>,
): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Pay ${inHtml(amount)} ${inHtml(currency)}</title>
<style>body{font:1rem/1.5 system-ui;max-width:26rem;margin:3rem auto;padding:0 1rem}label,input,button{display:block;width:100%;box-sizing:border-box;margin:.5rem 0;padding:.6rem;font:inherit}label{padding:0}</style>
</head>
<body>
<h1>Test provider: ${inHtml(kind.replace('_', ' '))}</h1>
<p>${inHtml(description)}</p>
<p><strong>${inHtml(amount)} ${inHtml(currency)}</strong></p>
<form method="post" action="/pay/${inHtml(id)}">
${fields[kind] ?? ''}
<button name="action" value="pay">Pay</button>
<button name="action" value="decline">Let it be declined</button>
<button name="action" value="cancel">Cancel</button>
</form>
<p>No money moves here.</p>
</body>
</html>
`;
}

function field(label: string, placeholder: string): string {
  return `<label for="secret">${label}</label>
<input id="secret" name="secret" inputmode="numeric" autocomplete="off" placeholder="${placeholder}">`;
}

function inHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`);
}
