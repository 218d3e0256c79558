import { defineService } from '@ghasi/backbone/define-service';
import { OrderChanged, orders, stock } from '@ghasi/backbone/fixtures/shop';
import { on } from '@ghasi/backbone/reaction';
import { expect, test } from 'vitest';
import { description } from './describe.ts';

const mail = defineService({
  name: 'mail-service',
  schema: 'mail',
  migrations: new URL('file:///none/'),
  reacts: [on(OrderChanged, async () => {})],
});

test('each event is shown with those who hear it, and one that nobody hears says so', () => {
  const { text, problems } = description([orders, stock(), mail]);
  expect(problems).toEqual([]);
  expect(text).toBe(`orders-service (schema orders)
  owns     -
  says     shop.orders.order.changed.v1 → stock-service, mail-service
  hears    -
  answers  -
  needs    -
  runs     -

stock-service (schema stock)
  owns     -
  says     shop.stock.stock.reserved.v1 → nobody
  hears    shop.orders.order.changed.v1
           [8 at once, order required]
  answers  -
  needs    -
  runs     -

mail-service (schema mail)
  owns     -
  says     -
  hears    shop.orders.order.changed.v1
           [8 at once, order required]
  answers  -
  needs    -
  runs     -`);
});

test('services that do not fit together are told apart: all problems in the text, for a program those of each service', () => {
  const problem = 'mail-service reacts to shop.orders.order.changed.v1, and nobody publishes it';
  const all = description([stock(), mail]);
  expect(all.problems).toContain(problem);
  expect(all.text).toContain(`\n\n✗ stock-service reacts to `);
  expect(all.text.endsWith(`✗ ${problem}`)).toBe(true);
  const one = description([stock(), mail], 'mail');
  expect(one.data.map(({ name, problems }) => [name, problems])).toEqual([['mail-service', [problem]]]);
});

test('of one service only its own problems are shown, and only they make the command fail', () => {
  const { text, data, problems } = description(
    [orders, stock(), mail, { ...mail, name: 'post-service' }],
    'stock',
  );
  expect({ problems, shown: data[0]?.problems }).toEqual({ problems: [], shown: [] });
  expect(text).not.toContain('✗');
});

test('an unknown service is refused with the names there are', () => {
  expect(() => description([orders, mail], 'spa')).toThrow(
    'No service is called spa; there are: orders-service; mail-service',
  );
});
