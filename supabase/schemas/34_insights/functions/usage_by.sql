-- Why: tokens and cost of a product's jobs, summed in one pass over every way in which people ask: model, day, sprint, run,
-- story, task, and all together. `unpriced_jobs` says how many of them have tokens and no price.
create function private.usage_by(p_product_id uuid, p_sprint_id uuid)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
begin
  return (
    with used as (
      select j.model_id, (coalesce(j.finished_at, j.updated_at) at time zone 'UTC')::date as day, r.sprint_id, j.sprint_run_id,
        t.story_id, j.task_id, j.input_tokens, j.output_tokens, j.cache_read_tokens, j.cache_write_tokens,
        private.job_cost(j) as cost
      from public.agent_jobs j
      left join public.sprint_runs r on r.id = j.sprint_run_id
      left join public.tasks t on t.id = j.task_id
      where j.product_id = p_product_id and (p_sprint_id is null or r.sprint_id = p_sprint_id)
        and num_nonnulls(j.input_tokens, j.output_tokens, j.cache_read_tokens, j.cache_write_tokens) > 0
    ),
    summed as (
      select u.model_id, u.day, u.sprint_id, u.sprint_run_id, u.story_id, u.task_id,
        case
          when grouping(u.model_id) = 0 then 'by_model' when grouping(u.day) = 0 then 'by_day'
          when grouping(u.sprint_id) = 0 then 'by_sprint' when grouping(u.sprint_run_id) = 0 then 'by_run'
          when grouping(u.story_id) = 0 then 'by_story' when grouping(u.task_id) = 0 then 'by_task'
          else 'totals' end as part,
        jsonb_build_object('jobs', count(*), 'input_tokens', coalesce(sum(u.input_tokens), 0),
          'output_tokens', coalesce(sum(u.output_tokens), 0), 'cache_read_tokens', coalesce(sum(u.cache_read_tokens), 0),
          'cache_write_tokens', coalesce(sum(u.cache_write_tokens), 0), 'cost', coalesce(sum(u.cost), 0),
          'unpriced_jobs', count(*) filter (where u.cost is null)) as numbers
      from used u
      group by grouping sets ((u.model_id), (u.day), (u.sprint_id), (u.sprint_run_id), (u.story_id), (u.task_id), ())
    ),
    named as (
      select s.part, s.numbers || case s.part
        when 'by_model' then jsonb_build_object('model_id', s.model_id,
          'currency', (select m.currency from public.model_prices m where m.model_id = s.model_id))
        when 'by_day' then jsonb_build_object('date', s.day)
        when 'by_sprint' then jsonb_build_object('sprint_id', s.sprint_id, 'sprint_code', (select x.code from public.sprints x where x.id = s.sprint_id))
        when 'by_run' then jsonb_build_object('sprint_run_id', s.sprint_run_id,
          'branch', (select x.branch from public.sprint_runs x where x.id = s.sprint_run_id),
          'created_at', (select x.created_at from public.sprint_runs x where x.id = s.sprint_run_id))
        when 'by_story' then jsonb_build_object('story_id', s.story_id,
          'story_code', (select x.code from public.stories x where x.id = s.story_id),
          'story_title', (select x.title from public.stories x where x.id = s.story_id))
        when 'by_task' then jsonb_build_object('task_id', s.task_id,
          'task_code', (select x.code from public.tasks x where x.id = s.task_id),
          'task_title', (select x.title from public.tasks x where x.id = s.task_id))
        else '{}' end as row,
        (s.numbers ->> 'cost')::numeric as cost, s.day
      from summed s
    )
    select jsonb_build_object(
      'totals', (select n.row from named n where n.part = 'totals'),
      'by_model', (select coalesce(jsonb_agg(n.row order by n.cost desc), '[]') from named n where n.part = 'by_model'),
      'by_day', (select coalesce(jsonb_agg(n.row order by n.day), '[]') from named n where n.part = 'by_day'),
      'by_sprint', (select coalesce(jsonb_agg(n.row order by n.cost desc), '[]') from named n where n.part = 'by_sprint'),
      'by_run', (select coalesce(jsonb_agg(n.row order by n.row ->> 'created_at'), '[]') from named n where n.part = 'by_run'),
      'by_story', (select coalesce(jsonb_agg(n.row order by n.cost desc), '[]') from named n where n.part = 'by_story'),
      'by_task', (select coalesce(jsonb_agg(n.row order by n.cost desc), '[]') from named n where n.part = 'by_task'))
  );
end;
$$;

comment on function private.usage_by is
  'Tokens and cost by model, day, sprint, run, story and task (specification: Agent job; Model price).';
