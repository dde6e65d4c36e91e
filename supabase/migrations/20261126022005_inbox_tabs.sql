-- Why: questions and invitations are tabs of the inbox; notices lead there, and the inbox says when an invitation expires.
set local check_function_bodies = off;

DROP FUNCTION "operations"."list_own_invitations"();

CREATE OR REPLACE FUNCTION private.inbox_item_json(p_kind text, p_id uuid)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return case p_kind
    when 'question' then (
      select jsonb_build_object('question', private.question_json(q)) from public.agent_questions q where q.id = p_id
        and (q.reader_id is null or q.reader_id = auth.uid() or private.is_left_to_owner(q)))
    when 'review' then (
      select jsonb_build_object('code', t.code, 'title', t.title, 'story_code', s.code, 'story_title', s.title,
        -- The job that waits for a person's verdict; without one the task was put into review by hand.
        'job_id', (
          select j.id from public.agent_jobs j
          where j.task_id = t.id and j.status = 'QUEUED' and j.phase = 'review'
          limit 1))
      from public.tasks t join public.stories s on s.id = t.story_id where t.id = p_id)
    when 'run' then (
      select jsonb_build_object('code', coalesce(s.code, private.run_subject(r)), 'title', coalesce(s.sprint_goal, ''), 'sprint_id', s.id,
        'failed', x.failed, 'waiting', x.waiting, 'reason', r.failure ->> 'reason', 'task_id', r.failure ->> 'task_id', 'task_code', r.failure ->> 'task_code')
      from public.sprint_runs r
      left join public.sprints s on s.id = r.sprint_id
      cross join lateral (
        select count(*) filter (where p.status = 'FAILED') as failed, count(*) filter (where p.status in ('QUEUED', 'CANCELLED', 'PENDING')) as waiting
        from (
          select j.status::text from public.agent_jobs j where j.sprint_run_id = r.id and j.kind = 'TASK_IMPLEMENTATION'
          union all
          select e.status::text from public.task_executions e where e.sprint_run_id = r.id
        ) p
      ) x
      where r.id = p_id)
    when 'job' then (
      select jsonb_build_object('code', i.code, 'title', i.title, 'reason', j.failure_reason, 'idea_id', j.idea_id)
      from public.agent_jobs j join public.ideas i on i.id = j.idea_id where j.id = p_id)
    when 'added' then (
      select jsonb_build_object('code', p.code, 'title', p.name, 'owner_name', private.username(p.owner_id))
      from public.products p where p.id = p_id)
    when 'triage' then (
      select jsonb_build_object('code', p.code, 'title', p.name, 'waiting', x.waiting, 'newest', x.newest)
      from public.products p
      cross join lateral (
        select count(*) as waiting, (array_agg(s.title order by s.created_at desc, s.id))[1] as newest
        from public.stories s where s.product_id = p.id and s.in_triage and not s.is_template) x
      where p.id = p_id)
    when 'invitation' then (
      select jsonb_build_object('code', p.code, 'title', p.name, 'invited_by', private.username(i.created_by), 'role', i.role,
        'expires_at', i.expires_at)
      from public.product_invitations i join public.products p on p.id = i.product_id where i.id = p_id)
    when 'mention' then (
      select jsonb_build_object('code', x.code, 'title', x.title, 'author', c.author, 'excerpt', left(c.body, 500),
        'path', private.comment_path(c))
      from public.comments c
      cross join lateral (
        select t.code, t.title from public.tasks t where t.id = c.task_id
        union all
        select s.code, s.title from public.stories s where s.id = c.story_id
        union all
        select b.code, b.title from public.pbis b where b.id = c.pbi_id) x
      where c.id = p_id)
  end;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_agent_questions__notices()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_subject text := coalesce((select t.code from public.tasks t where t.id = new.task_id),
    (select s.code from public.stories s where s.id = new.story_id),
    (select i.code from public.ideas i where i.id = new.idea_id));
begin
  if tg_op = 'INSERT' then
    perform private.queue_notices('question_opened', new.product_id, new.assignee_id, true,
      format(case new.kind when 'permission' then 'An agent asks your permission: %s' else 'A question about %s' end, v_subject), concat_ws(': ', new.reach, new.question), '/inbox?show=questions&question=' || new.id, private.question_json(new), new.reader_id);
  elsif new.status = 'ANSWERED' then
    perform private.queue_notices('question_answered', new.product_id, null, false,
      format('Answered: %s', v_subject), new.answer, '/inbox?show=questions&question=' || new.id, private.question_json(new), new.reader_id);
  elsif new.status = 'EXPIRED' then
    perform private.queue_notices('question_expired', new.product_id, coalesce(new.escalate_to, new.assignee_id), true,
      format('Nobody answered in time: %s', v_subject), new.question, '/inbox?show=questions&question=' || new.id, private.question_json(new), new.reader_id);
  end if;
  return null;
end;
$function$;
