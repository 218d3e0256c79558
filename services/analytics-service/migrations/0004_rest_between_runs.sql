-- why: while bookings come in all the time, the numbers of a house were computed four times a second for nobody to look at.

-- When the run that will take in what was heard last is due. What is heard before that needs no run of its own.
alter table analytics.watermarks add column due_at timestamptz not null default '-infinity';
