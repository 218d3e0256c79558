-- why: the second step of a sign-in looks for its challenge by token, and ended ones stay for a day.
create unique index ux_challenges_token on iam.challenges (tenant_id, token_hash) where token_hash is not null;
