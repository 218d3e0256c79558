import { type Fields, newFormKey, requestKey } from '../forms.ts';
import { arrivalPage } from '../pages/arrival.ts';
import { type NextStep, type TroubleKind, troubleOf, troublePage } from '../pages/trouble.ts';
import { searchOf, searchQuery } from '../search.ts';
import type { PageRequest, PageRoute } from '../serve-page.ts';
import type { Arrival, Draft } from '../views.ts';
import type { Answer, Reply, Visit } from '../visit.ts';

/**
 * A guest whom the consumer site sends with a signed stay (TB-57). What it signed travels in the body of a form, so it
 * stands in no address, no log and no Referer (safety 23).
 */
export const arrivalRoutes: readonly PageRoute[] = [
  { method: 'POST', path: '/arrive', fromAnywhere: true, handle: arrive },
  { method: 'POST', path: '/arrive/room', handle: takeRoom },
];

/** What was signed is exchanged for a ticket, which our own page sends on: only with that one comes the guest's session. */
async function arrive(visit: Visit, { form, now }: PageRequest): Promise<Reply> {
  const body = { payload: form.get('payload'), signature: form.get('signature'), keyId: form.get('keyId') };
  const arrived = await visit.ask<Arrival>({
    method: 'POST',
    path: '/handoff',
    body,
    idempotencyKey: newFormKey(),
  });
  if (!arrived.ok) return refused(visit, arrived, { wish: wishIn(body.payload), now });
  return arrivalPage(visit, arrived.body);
}

async function takeRoom(visit: Visit, { form, now }: PageRequest): Promise<Reply> {
  const body = { ticket: form.get('ticket') };
  const made = await visit.ask<Draft>({
    method: 'POST',
    path: '/handoff/drafts',
    body,
    idempotencyKey: requestKey('arrive', body),
  });
  if (made.ok) return { redirect: `${visit.base}/book/${made.body.draftId}` };
  return refused(visit, made, { wish: form, now });
}

type Refused = Extract<Answer<unknown>, { ok: false }>;

function refused(visit: Visit, answer: Refused, { wish, now }: { wish: Fields; now: Date }): Reply {
  const { search, wrong } = searchOf(wish, visit.hotel, now);
  const anew: NextStep = { href: visit.base, key: 'trouble.search_again' };
  const same: NextStep = { href: `${visit.base}/rooms?${searchQuery(search)}`, key: 'trouble.choose_again' };
  return troublePage(visit, kindOf(answer), wrong.length === 0 ? [same, anew] : [anew]);
}

/** A form that is no handoff at all is refused as one that was tampered with. */
function kindOf(answer: Refused): TroubleKind {
  return answer.status === 400 ? 'HANDOFF_REFUSED' : troubleOf(answer);
}

/** The dates in what was sent: nothing is believed of them, they only save the guest from typing them again. */
function wishIn(payload: string): Fields {
  let said: Record<string, unknown>;
  try {
    said = Object(JSON.parse(payload));
  } catch {
    said = {};
  }
  const named = (name: string) => String(said[name === 'hotel' ? 'propertyId' : name] ?? '');
  return { get: named, has: name => named(name) !== '' };
}
