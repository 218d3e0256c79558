import type { Language } from './language.ts';

/** English. The short texts stay within GSM-7, as long as the name of the house does. */
export const english: Language = {
  templates: {
    booking_confirmed: {
      subject: 'Booking {code} at {hotel} is confirmed',
      body: `Dear {guest},

Your booking at {hotel} is confirmed. Your booking code is {code}.

Arrival: {arrival}
Departure: {departure}
Nights: {nights}

Check-in from {checkIn}.
Check-out until {checkOut}.

Total: {total}. {payment}

Please keep this message. We look forward to your visit.`,
      short:
        '{hotel}: booking {code} is confirmed. Check-in from {checkIn}, nights: {nights}, total {total}. {payment}',
    },
    hold_expired: {
      subject: 'Your room at {hotel} is no longer held',
      body: `Dear {guest},

The room we held for you at {hotel} from {arrival} to {departure} is free again: {why}

Nothing is booked and nothing is to be paid. If money was taken, it goes back to you.

You are welcome to book again.`,
      short:
        '{hotel}: your room from {arrival} to {departure} is no longer held: {why} Nothing is to be paid.',
    },
    payment_failed: {
      subject: 'The payment for your stay at {hotel} did not succeed',
      body: `Dear {guest},

The payment for your stay at {hotel} from {arrival} to {departure} did not succeed, so the room is not booked.

If money left your account, it goes back to you.

You are welcome to try again, or to pay in another way.`,
      short:
        '{hotel}: the payment for {arrival} to {departure} did not succeed, the room is not booked. You can try again.',
    },
    booking_cancelled: {
      subject: 'Booking {code} at {hotel} is cancelled',
      body: `Dear {guest},

Your booking {code} at {hotel} from {arrival} to {departure} is cancelled.

{refund}

We hope to see you another time.`,
      short: '{hotel}: booking {code} from {arrival} to {departure} is cancelled. {refund}',
    },
    booking_modified: {
      subject: 'Booking {code} at {hotel} was changed',
      body: `Dear {guest},

Your booking {code} at {hotel} was changed: {changes}.

Arrival: {arrival}
Departure: {departure}

If you did not ask for this, please tell us.`,
      short:
        '{hotel}: booking {code} ({arrival} to {departure}) was changed: {changes}. If you did not ask for it, tell us.',
    },
    dates_changed: {
      subject: 'Your stay at {hotel} has new dates',
      body: `Dear {guest},

Your stay at {hotel} (booking {code}) is now from {arrival} to {departure}. Before, it was from {previousArrival} to {previousDeparture}.

Nights: {nights}

Check-in from {checkIn}.
Check-out until {checkOut}.`,
      short:
        '{hotel}: booking {code} is now from {arrival} to {departure}, nights: {nights} (before: {previousArrival} to {previousDeparture}). Check-in from {checkIn}, check-out until {checkOut}.',
    },
    dates_unavailable: {
      subject: 'The new dates at {hotel} are not available',
      body: `Dear {guest},

The dates you asked for, {wantedArrival} to {wantedDeparture}, are not available at {hotel}.

Your booking {code} stays as it was: from {arrival} to {departure}.`,
      short:
        '{hotel}: {wantedArrival} to {wantedDeparture} is not available. Booking {code} stays as it was: {arrival} to {departure}.',
    },
    key_ready: {
      subject: 'Your key at {hotel} is ready',
      body: `Dear {guest},

{medium}

The key works from {keyFrom} until {keyUntil}.

For your safety the code of a door is never sent in a message.`,
      short: '{hotel}: {medium} The key works from {keyFrom} until {keyUntil}.',
    },
    welcome: {
      subject: 'Welcome to {hotel}',
      body: `Dear {guest},

Welcome to {hotel}. We are glad that you are here.

Check-out is until {checkOut}.

Whatever you need, the front desk is there for you.`,
      short: 'Welcome to {hotel}! Check-out is until {checkOut}. The front desk is there for you.',
    },
    receipt: {
      subject: 'Your stay at {hotel}: receipt for booking {code}',
      body: `Dear {guest},

Thank you for staying at {hotel} from {arrival} to {departure}.

Booking: {code}
Nights: {nights}
Price of the stay: {total}

{balance}

The invoice is at the front desk.`,
      short:
        '{hotel}: thank you for your stay from {arrival} to {departure} (booking {code}, nights: {nights}, price {total}). {balance}',
    },
    stay_survey: {
      subject: 'How was your stay at {hotel}?',
      body: `Dear {guest},

We would like to know how your stay at {hotel} was. Please answer this message with a number from 1 (bad) to 5 (very good), and tell us what we can do better.

If you do not want such messages, tell us and we stop.`,
      short:
        '{hotel}: how was your stay? Please answer with a number from 1 (bad) to 5 (very good). If you do not want such messages, tell us.',
    },
    staff_alert: {
      subject: '{hotel}: please look at booking {code}',
      body: `{alert}

Booking: {code}`,
      short: '{hotel}, booking {code}: {alert}',
    },
  },
  phrases: {
    guest: 'guest',
    comma: ', ',
    paid: 'It is paid in full.',
    partlyPaid: '{paid} is paid, {outstanding} is due at the house.',
    onArrival: 'Please pay {outstanding} on arrival.',
    keptUntil: 'We keep your room until {until}.',
    refund: '{refund} goes back to you.',
    fee: 'The cancellation fee is {fee}.',
    nothingDue: 'Nothing is to be paid.',
    settled: 'Everything is paid.',
    stillOpen: '{balance} is still to be paid.',
    noPayment: 'the payment did not arrive in time.',
    noRoom: 'the house could not keep it for you.',
    passcode: 'The front desk gives you the code of your door.',
    card: 'The front desk gives you your key card.',
    mobile_key: 'Your mobile key is ready; the front desk helps you to set it up.',
    metal_key: 'The front desk gives you your key.',
    changes: {
      guest: 'the guest',
      occupancy: 'the number of guests',
      room_assignment: 'the room',
      special_requests: 'your requests',
      locale: 'the language',
      rail: 'the way of payment',
    },
  },
};
