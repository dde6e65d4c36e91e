-- Why: one form of a job for all readers: the contract's fields, plus codes and names that a page needs.
create function private.job_json(p_job public.agent_jobs)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  v record;
  v_costs jsonb := private.job_costs(p_job.id);
begin
  select t.code as task_code, t.title as task_title, t.status as task_status, t.story_id, s.code as story_code, s.title as story_title,
    p.code as product_code, w.name as worker_name, i.code as idea_code
  into v
  from (select) as job
  left join public.tasks t on t.id = p_job.task_id
  left join public.stories s on s.id = t.story_id
  left join public.products p on p.id = p_job.product_id
  left join public.agent_workers w on w.id = p_job.worker_id
  left join public.ideas i on i.id = p_job.idea_id;

  if not private.may_read_talk(p_job) then
    p_job.summary := null;
    p_job.failure_reason := null;
    p_job.evidence := null;
    v.idea_code := null;
  end if;
  return to_jsonb(p_job) - '{lane_id,claim_rank}'::text[] || jsonb_build_object(
    'status', lower(p_job.status::text),
    'task_code', v.task_code,
    'task_title', v.task_title,
    'task_status', case v.task_status when 'TO_DO' then 'todo' else lower(v.task_status::text) end,
    'story_id', v.story_id,
    'story_code', v.story_code,
    'story_title', v.story_title,
    'idea_code', v.idea_code,
    'product_code', v.product_code,
    'worker_name', v.worker_name,
    'pull', (
      select private.pull_json(p) from public.pulls p
      where p.product_id = p_job.product_id and p.branch = p_job.branch
      order by p.number desc limit 1),
    'doing', case when p_job.status in ('CLAIMED', 'RUNNING') then private.doing_now(p_job.id, p_job.attempt) end,
    'costs', v_costs,
    'cost', case when jsonb_array_length(v_costs) = 1 then v_costs -> 0 -> 'cost' end
  );
end;
$$;

comment on function private.job_json is
  'An agent job as the contract shows it, status lowercase (specification: Agent job).';

grant execute on function private.job_json to authenticated;

-- Why: the cost of a job, one sum per currency: currencies are never added, and subscription usage is not money spent.
-- Empty while nothing it used has a price.
create function private.job_costs(p_job_id uuid)
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
      where e.job_id = p_job_id and e.cost is not null and not e.subscription
      group by e.currency
    ) s
  );
end;
$$;

comment on function private.job_costs is 'What a job cost, one sum a currency (specification: Model price).';

grant execute on function private.job_costs to authenticated;
