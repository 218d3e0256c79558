-- why: an operator's command must know whether a subscription reads the log or another broker, whose place is not in here.

-- The broker of the process that started last with this subscription. Where it is not `postgres`, off and day say nothing.
alter table brokers.cursor add column broker text not null default 'postgres';
