import type { TicketView } from './contract/resources.ts';
import type { Ticket } from './queries/tickets.ts';

/** A ticket as staff sees it. */
export function viewTicket(ticket: Ticket): TicketView {
  const { labourMinutes, labourMinor, costMinor, currency, parts, photoIds, block, ...rest } = ticket;
  const { openedAt, closedAt } = ticket;
  const money = (minor: bigint | string) => ({ amount: String(minor), currency });
  return {
    ...rest,
    block: block && { kind: block.kind, from: block.from, until: block.until },
    photoIds: [...photoIds],
    openedAt: openedAt.toISOString(),
    closedAt: closedAt?.toISOString() ?? null,
    parts: parts.map(({ name, quantity, minor }) => ({ name, quantity, cost: money(minor) })),
    labour: { minutes: labourMinutes, cost: money(labourMinor) },
    cost: money(costMinor),
  };
}
