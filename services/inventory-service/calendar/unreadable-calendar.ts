/** A calendar that cannot be read. Its reason is for people and quotes nothing: what is in a feed is not ours to show. */
export class UnreadableCalendar extends Error {
  readonly reason: string;

  constructor(reason: string, options?: ErrorOptions) {
    super(`the calendar cannot be read: ${reason}`, options);
    this.name = 'UnreadableCalendar';
    this.reason = reason;
  }
}
