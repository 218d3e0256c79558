import type { Template } from '../model.ts';

/** The words of one template. Paragraphs of the body are separated by an empty line. */
export type TemplateText = { readonly subject: string; readonly body: string; readonly short: string };

/** What was changed in a booking, as the contract of reservation-service names it. */
export type Change = 'guest' | 'occupancy' | 'room_assignment' | 'special_requests' | 'locale' | 'rail';

/** Sentences that stand in for a placeholder, by what happened. */
export type Phrases = {
  /** How somebody is addressed whose name we do not print. */
  readonly guest: string;
  /** Between the members of a list. */
  readonly comma: string;
  readonly paid: string;
  readonly partlyPaid: string;
  readonly onArrival: string;
  readonly keptUntil: string;
  readonly refund: string;
  readonly fee: string;
  readonly nothingDue: string;
  readonly settled: string;
  readonly stillOpen: string;
  readonly noPayment: string;
  readonly noRoom: string;
  readonly passcode: string;
  readonly card: string;
  readonly mobile_key: string;
  readonly metal_key: string;
  readonly changes: Readonly<Record<Change, string>>;
};

/** One language: every template and every sentence. */
export type Language = {
  readonly templates: Readonly<Record<Template, TemplateText>>;
  readonly phrases: Phrases;
};
