-- Why: what the runs of a sprint cost, all of it or one story's part: a sum a currency, never added together. What a subscription
-- pays is no money spent. One job for the whole sprint belongs to no single story, so it counts in the sum only.
create function private.review_costs(p_runs uuid[], p_story_id uuid)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
begin
  return (
    select coalesce(jsonb_agg(jsonb_build_object('currency', s.currency, 'cost', s.cost) order by s.currency), '[]')
    from (
      select e.currency, round(sum(e.cost), 6) as cost
      from public.usage_events e
      where e.sprint_run_id = any(p_runs) and e.cost is not null and not e.subscription
        and (p_story_id is null or (
          e.task_id in (select t.id from public.tasks t where t.story_id = p_story_id)
          and not exists (select from public.agent_jobs j where j.id = e.job_id and j.kind = 'SPRINT_IMPLEMENTATION')))
      group by e.currency
    ) s
  );
end;
$$;

comment on function private.review_costs is 'What a sprint or one of its stories cost (specification: Model price).';
