-- why: whoever confirms a draft of the booking site twice, from two tabs or after a lost reply, has booked once.

create unique index reservations_one_per_draft
  on reservation.reservations (tenant_id, (agreed ->> 'bookingDraftId'))
  where agreed ->> 'bookingDraftId' is not null;
