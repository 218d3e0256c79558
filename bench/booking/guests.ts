import { randomUUID } from 'node:crypto';
import type { Chance } from '@melmastoon/server/demo-chance';
import { availabilityPath, calendarPath, type House } from './houses.ts';
import type { Call, Reply } from './http-call.ts';
import { type Kind, searchOf } from './mix.ts';

/** What was asked, and what the guest makes of the answer. */
export type Asking = { kind: Kind; call: Call; heard(reply: Reply): void };

type Draft = { draftId: string; payChoices: { rail: string }[]; total: { gross: unknown } };
type Visitor = { house: House; cookie: string; draft?: Draft; hasPaid?: boolean };

/** Guests at the sites at any moment; a new one takes the place of one who has been here. */
const MOST_VISITORS = 3_000;
/** Of those who open a site, so many are here for the first time. */
const NEW_SHARE = 0.6;
/** Of those who book, so many pay in cash when they come; the others with a card. */
const CASH_SHARE = 0.7;

const person = { name: 'Zarghuna Ahmadi', phone: '+93799123456', email: null };

/**
 * All guests, each with a session of its own, spread over the houses. It answers "what is the next request of this kind"
 * and remembers from the replies who has chosen a room and who is booking. `pay` is what a guest does on the page of the
 * card provider.
 */
export class Guests {
  readonly #chance: Chance;
  readonly #houses: readonly House[];
  readonly #pay: (page: string) => void;
  readonly #visitors: Visitor[] = [];
  /** Rooms chosen, not booked yet. */
  readonly #choosing: Visitor[] = [];
  /** Booking; each is asked about in turn until it is decided. */
  readonly #booking: Visitor[] = [];

  constructor(chance: Chance, houses: readonly House[], pay: (page: string) => void) {
    this.#chance = chance;
    this.#houses = houses;
    this.#pay = pay;
  }

  /** The next request of a kind. Where nobody is ready for it, a guest searches instead. */
  ask(kind: Kind): Asking {
    if (kind === 'bootstrap') return this.#open();
    if (kind === 'draft' && this.#visitors.length > 0) return this.#choose();
    if (kind === 'show draft' && this.#choosing.length > 0) return this.#show();
    if (kind === 'confirm' && this.#choosing.length > 0) return this.#book();
    if (kind === 'outcome' && this.#booking.length > 0) return this.#look();
    return this.#search(kind === 'calendar' || kind === 'cheapest' ? kind : 'availability');
  }

  /** The next look at a booking that is not decided yet; undefined when all are. */
  askLast(): Asking | undefined {
    return this.#booking.length > 0 ? this.#look() : undefined;
  }

  #open(): Asking {
    const isNew = this.#visitors.length === 0 || this.#chance.share() < NEW_SHARE;
    const known = isNew ? undefined : this.#chance.pick(this.#visitors);
    const house = known?.house ?? this.#chance.pick(this.#houses);
    const { locale } = searchOf(this.#chance, house.locales);
    return {
      kind: 'bootstrap',
      call: get(house, `/api/v1/booking/bootstrap?locale=${locale}`, known?.cookie),
      heard: ({ cookie }) => {
        if (cookie === undefined) return;
        const at = this.#visitors.length < MOST_VISITORS ? this.#visitors.length : undefined;
        this.#visitors[at ?? Math.floor(this.#chance.share() * MOST_VISITORS)] = { house, cookie };
      },
    };
  }

  #search(kind: 'calendar' | 'availability' | 'cheapest'): Asking {
    const known = this.#visitors.length === 0 ? undefined : this.#chance.pick(this.#visitors);
    const house = known?.house ?? this.#chance.pick(this.#houses);
    const { rank, adults, locale } = searchOf(this.#chance, house.locales);
    const { propertyId, stays } = house;
    const { arrival, departure } = at(stays, rank);
    const path =
      kind === 'calendar'
        ? calendarPath(propertyId, monthOf(arrival))
        : availabilityPath(kind, propertyId, {
            ...{ arrival, departure, adults },
            ...(kind === 'availability' ? { locale } : {}),
          });
    return { kind, call: get(house, path, known?.cookie), heard() {} };
  }

  #choose(): Asking {
    const visitor = this.#chance.pick(this.#visitors);
    const { house } = visitor;
    const { rank, locale } = searchOf(this.#chance, house.locales);
    const stay = at(house.stays, rank);
    // Nothing was offered: he chooses from a page that he opened yesterday.
    const from = stay.offers.length > 0 ? stay.offers : house.stays.flatMap(({ offers }) => offers);
    const { roomTypeId, ratePlanId } = this.#chance.pick(from);
    const { arrival, departure } = stay;
    const { propertyId } = house;
    const body = { propertyId, arrival, departure, roomTypeId, ratePlanId, adults: 1, locale };
    return {
      kind: 'draft',
      call: post(visitor, '/api/v1/booking/drafts', body),
      heard: ({ status, text }) => {
        if (status !== 201) return;
        // A copy: a guest may choose again before he books, in another tab.
        this.#choosing.push({ ...visitor, draft: JSON.parse(text) });
      },
    };
  }

  #show(): Asking {
    const { house, cookie, draft } = this.#chance.pick(this.#choosing);
    return {
      kind: 'show draft',
      call: get(house, `/api/v1/booking/drafts/${draft?.draftId}`, cookie),
      heard() {},
    };
  }

  #book(): Asking {
    const visitor = this.#choosing.shift() as Visitor;
    const draft = visitor.draft as Draft;
    const inCash =
      draft.payChoices.some(({ rail }) => rail === 'cash_pending') && this.#chance.share() < CASH_SHARE;
    const rail = inCash ? 'cash_pending' : 'card';
    const body = { guest: { ...person, requests: null }, rail, locale: 'en', seenTotal: draft.total.gross };
    return {
      kind: 'confirm',
      call: post(visitor, `/api/v1/booking/drafts/${draft.draftId}/confirm`, body),
      heard: ({ status }) => {
        if (status === 200) this.#booking.push(visitor);
      },
    };
  }

  #look(): Asking {
    const visitor = this.#booking.shift() as Visitor;
    const { house, cookie, draft } = visitor;
    return {
      kind: 'outcome',
      call: get(house, `/api/v1/booking/drafts/${draft?.draftId}/outcome`, cookie),
      heard: ({ status, text }) => {
        const { state, redirectUrl } =
          status === 200 ? JSON.parse(text) : { state: 'unknown', redirectUrl: null };
        if (state === 'confirmed' || state === 'failed' || state === 'expired') return;
        this.#booking.push(visitor);
        if (state !== 'paying' || redirectUrl === null || visitor.hasPaid) return;
        visitor.hasPaid = true;
        this.#pay(redirectUrl);
      },
    };
  }
}

/** Date grids begin with a month: guests ask for few different ones. */
function monthOf(date: string): string {
  return `${date.slice(0, 7)}-01`;
}

function at<T>(list: readonly T[], place: number): T {
  return list[place % list.length] as T;
}

function get({ slug }: House, path: string, cookie: string | undefined): Call {
  return {
    method: 'GET',
    path,
    headers: { 'x-tenant-slug': slug, ...(cookie === undefined ? {} : { cookie }) },
  };
}

function post({ house, cookie }: Visitor, path: string, body: unknown): Call {
  const headers = { 'x-tenant-slug': house.slug, cookie, 'idempotency-key': randomUUID() };
  return { method: 'POST', path, headers, body };
}
