-- Why: forecasts and comparisons stand on tasks that agents have finished: how long all attempts took, and what they used. The two
-- hundred newest say enough, and older ones say less and less.
create function private.finished_tasks(p_product_id uuid)
returns table (job_id uuid, task_id uuid, model_id text, estimated_minutes integer, seconds numeric, tokens numeric)
language plpgsql
stable
set search_path = ''
as $$
begin
  return query
    select j.id, j.task_id, j.model_id, t.estimated_minutes, a.seconds, u.tokens
    from (
      select x.* from public.agent_jobs x
      where x.product_id = p_product_id and x.kind = 'TASK_IMPLEMENTATION' and x.status = 'DONE'
      order by x.finished_at desc limit 200
    ) j
    join public.tasks t on t.id = j.task_id
    cross join lateral (
      select extract(epoch from sum(x.ended_at - x.started_at))::numeric as seconds
      from public.job_attempts x where x.job_id = j.id and x.ended_at is not null
    ) a
    cross join lateral (
      select sum(k.tokens)::numeric as tokens from private.known_usage k where k.job_id = j.id
    ) u
    where a.seconds is not null;
end;
$$;

comment on function private.finished_tasks is 'The newest tasks that agents finished, with time and tokens.';
