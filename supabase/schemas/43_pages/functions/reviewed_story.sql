-- Why: what a sprint review says of one story: how its tasks stand, what proves it, what its newest work changed, what it cost.
create function private.reviewed_story(p_story public.stories, p_sprint_id uuid, p_runs uuid[])
returns json
language plpgsql
stable
set search_path = ''
as $$
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

comment on function private.reviewed_story is 'A story as the sprint review shows it (docs/users.md).';
