-- Why: all usage known now: the ledger, and what attempts have reported of unfinished turns. Subscription usage has
-- tokens here, but no cost. An unfinished turn has the largest possible id, so that it comes after every line.
create view private.known_usage with (security_invoker = true) as
select e.product_id, e.sprint_run_id, e.task_id, e.job_id, e.attempt, e.worker_id, e.created_at,
  coalesce(e.input_tokens, 0) + coalesce(e.output_tokens, 0) + coalesce(e.cache_write_tokens, 0) as tokens,
  case when not e.subscription then e.cost end as cost, e.currency, e.id
from public.usage_events e
union all
select s.product_id, s.sprint_run_id, s.task_id, s.job_id, s.attempt, s.worker_id, s.told_at,
  coalesce(s.input_tokens, 0) + coalesce(s.output_tokens, 0) + coalesce(s.cache_write_tokens, 0),
  case when not s.subscription then s.cost end, s.currency, 9223372036854775807
from public.usage_so_far s;

comment on view private.known_usage is 'Ledger and turns under way, in tokens and real money (specification: Agent job, token usage).';
