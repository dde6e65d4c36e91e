-- The sprint review page in one read: what was planned, what became of each story, what it cost, and what is
-- unfinished. Includes stories that left the sprint, because completing a sprint returns unfinished ones to the
-- backlog. Work and cost are those of this sprint's runs, so that the review does not change when a story returns
-- later. All lists are bounded; of the evidence only the decisive piece is read, shortened. Definer: users may not call
-- the proof functions; access is checked first (docs/planning.md).
create function operations.get_sprint_review(p_sprint_id uuid)
returns json language plpgsql stable security definer set search_path = '' as $$
declare
  v_product uuid := private.require_access('sprint', p_sprint_id);
  v_runs uuid[] := array(
    select r.id from public.sprint_runs r where r.sprint_id = p_sprint_id order by r.created_at desc limit 50);
  v_stories uuid[] := array(
    select s.id from public.stories s
    where s.sprint_id = p_sprint_id
      or (s.product_id = v_product and s.id in (
        select l.story_id from public.sprint_leftovers l where l.sprint_id = p_sprint_id
        union all
        select c.story_id from public.task_status_changes c
        where c.sprint_id = p_sprint_id and c.from_status is distinct from c.to_status
        union all
        select t.story_id from public.agent_jobs j join public.tasks t on t.id = j.task_id where j.sprint_run_id = any(v_runs)))
    order by s.sprint_id is distinct from p_sprint_id, s.sort_order, s.created_at, s.id
    limit 200);
begin
  return json_build_object(
    'sprint', (select row_to_json(s) from private.sprint_shape s where s.id = p_sprint_id),
    'product', (
      select json_build_object('name', p.name, 'done_requires', p.done_requires) from public.products p where p.id = v_product),
    'burndown', private.get_sprint_burndown(p_sprint_id),
    'review_times', private.sprint_review_times(p_sprint_id),
    'retrospective', private.sprint_retrospective(p_sprint_id, v_runs, v_stories),
    'stories', (
      select coalesce(json_agg(private.reviewed_story(s, p_sprint_id, v_runs) order by x.place), '[]')
      from unnest(v_stories) with ordinality as x (id, place)
      join public.stories s on s.id = x.id),
    'costs', private.review_costs(v_runs, null),
    'whole_sprint', (
      select coalesce(json_agg(private.reviewed_job(j) order by j.created_at), '[]')
      from public.agent_jobs j where j.sprint_run_id = any(v_runs) and j.kind = 'SPRINT_IMPLEMENTATION'),
    'runs', (
      select coalesce(json_agg(json_build_object('id', r.id, 'status', lower(r.status::text), 'created_at', r.created_at)
        order by r.created_at), '[]')
      from public.sprint_runs r where r.id = any(v_runs)),
    'questions', (
      select coalesce(json_agg(json_build_object('id', q.id, 'question', q.question, 'story_id', q.story_id,
        'story_code', q.story_code) order by q.created_at), '[]')
      from (
        select q.id, left(q.question, 400) as question, q.story_id, s.code as story_code, q.created_at
        from public.agent_questions q
        join public.stories s on s.id = q.story_id
        where q.story_id = any(v_stories) and q.status = 'OPEN' and q.expires_at > private.now()
          and (q.reader_id is null or q.reader_id = auth.uid())
        order by q.created_at limit 50
      ) q),
    'failed_jobs', (
      select coalesce(json_agg(json_build_object('id', f.id, 'task_code', f.code, 'task_title', f.title, 'reason', f.reason)
        order by f.finished_at), '[]')
      from (
        select distinct on (t.id) j.id, t.code, t.title, left(j.failure_reason, 400) as reason, j.finished_at
        from public.agent_jobs j
        join public.tasks t on t.id = j.task_id
        where j.sprint_run_id = any(v_runs) and j.status = 'FAILED' and t.status <> 'DONE'
        order by t.id, j.finished_at desc limit 50
      ) f),
    'waivers', (
      select coalesce(json_agg(json_build_object('story_id', w.story_id, 'story_code', w.code, 'criterion', w.criterion,
        'text', w.text, 'reason', w.reason, 'waived_by', w.waived_by, 'created_at', w.created_at) order by w.created_at), '[]')
      from (
        select w.story_id, s.code, w.criterion, left(w.criterion_text, 400) as text, w.reason, w.waived_by, w.created_at
        from public.waivers w
        join public.stories s on s.id = w.story_id
        where w.story_id = any(v_stories)
        order by w.created_at limit 100
      ) w));
end;
$$;
grant execute on function operations.get_sprint_review to authenticated;

-- A story of a sprint review: tasks by status, proof, newest changes, cost (docs/planning.md).
create function private.reviewed_story(p_story public.stories, p_sprint_id uuid, p_runs uuid[])
returns json language plpgsql stable set search_path = '' as $$
begin
  return json_build_object(
    'id', p_story.id, 'code', p_story.code, 'title', p_story.title, 'status', lower(p_story.status::text),
    'left', p_story.sprint_id is distinct from p_sprint_id,
    'assignee_name', private.username(p_story.assignee_id),
    'tasks', (
      select json_build_array(count(*) filter (where t.status = 'DONE'), count(*)) from public.tasks t where t.story_id = p_story.id),
    'criteria', (
      select coalesce(json_agg(json_build_object('id', c.id, 'kind', c.kind, 'text', left(c.text, 1000), 'state', c.state,
        'grade', c.grade,
        'waiver', (select private.waiver_json(w) from public.waivers w where w.story_id = p_story.id and w.criterion = c.id),
        'evidence', private.review_evidence(p_story.id, c.id, c.evidence_id)) order by c.place), '[]')
      from (select x.* from private.story_proof(p_story.id) x order by x.place limit 50) c),
    'jobs', (
      select coalesce(json_agg(private.reviewed_job(j) order by j.created_at, j.id), '[]')
      from (
        select distinct on (j.task_id) j.*
        from public.tasks t
        join public.agent_jobs j on j.task_id = t.id
        where t.story_id = p_story.id and j.kind = 'TASK_IMPLEMENTATION' and j.sprint_run_id = any(p_runs)
        order by j.task_id, j.additions is null, j.created_at desc limit 100
      ) j),
    'costs', private.review_costs(p_runs, p_story.id));
end;
$$;

-- The piece of evidence that decides a criterion, or the newest, shortened (docs/proof.md).
create function private.review_evidence(p_story_id uuid, p_criterion text, p_evidence_id uuid)
returns json language plpgsql stable set search_path = '' as $$
declare
  v_evidence public.evidence;
begin
  select e.* into v_evidence
  from public.evidence e
  where e.story_id = p_story_id and e.criterion = p_criterion and (p_evidence_id is null or e.id = p_evidence_id)
  order by e.seq desc limit 1;
  if v_evidence.id is null then
    return '[]';
  end if;
  v_evidence.excerpt := left(v_evidence.excerpt, 600);
  return json_build_array(private.evidence_json(v_evidence,
    not private.is_fresh(v_evidence, (select h from public.story_heads h where h.story_id = p_story_id))));
end;
$$;

-- The cost of a sprint's runs, in total or of one story: one sum per currency, never added together. Subscription usage
-- is not money spent. A batch's job counts only in the total (specification: Model price).
create function private.review_costs(p_runs uuid[], p_story_id uuid)
returns jsonb language plpgsql stable set search_path = '' as $$
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

-- A sprint review names and links the work behind a story, without the job's whole row (docs/planning.md).
create function private.reviewed_job(p_job public.agent_jobs)
returns json language plpgsql stable set search_path = '' as $$
begin
  return json_build_object('id', p_job.id, 'status', lower(p_job.status::text), 'additions', p_job.additions,
    'deletions', p_job.deletions, 'pr_url', p_job.pr_url,
    'task_code', (select t.code from public.tasks t where t.id = p_job.task_id));
end;
$$;
