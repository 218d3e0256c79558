-- why: pages of the log are read by one plan, along the index; the server planned each page anew.

alter function brokers.read_page(date, bigint, integer, text[], uuid[]) set plan_cache_mode = force_generic_plan;
alter function brokers.read_tenant(bigint, bigint, integer, text[], uuid) set plan_cache_mode = force_generic_plan;
