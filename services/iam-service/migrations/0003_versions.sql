-- why: an event carries the version of what it is about (EVT-02..06). Rows from before the first event start at 1.

alter table iam.sessions add column version integer not null default 1; -- one more with each refresh, and with its end
alter table iam.devices add column version integer not null default 1;
alter table iam.factors add column version integer not null default 1;  -- its states; counters of codes do not count
