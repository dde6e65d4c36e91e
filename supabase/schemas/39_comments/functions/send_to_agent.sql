-- Why: a comment on a task, or on its story, goes to every agent that works on it at the moment; where none does, to the job that waits
-- for one. A job that ends at the same moment is waited for: either its end finds the message, or the message finds no job.
-- Refusals: 403, 409 where there is no such job, 422. Definer, as for all writes of comments.
create function private.send_to_agent(p_comment public.comments)
returns void
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_jobs uuid[];
begin
  perform private.require_product_write(p_comment.product_id);
  if p_comment.pbi_id is not null then
    perform private.refuse(422, 'Only a comment on a task or story can be sent to an agent. Comment there.');
  end if;
  v_jobs := private.steerable_jobs(p_comment, '{CLAIMED,RUNNING}');
  if v_jobs = '{}' then
    v_jobs := private.steerable_jobs(p_comment, '{QUEUED}');
  end if;
  if v_jobs = '{}' then
    perform private.refuse(409, 'No agent is working on this, and no job of it is waiting. Send the comment without send_to_agent, or start a run first.');
  end if;
  insert into public.agent_messages (comment_id, product_id, job_id, code, body, author)
  select p_comment.id, p_comment.product_id, j,
    private.code_of(private.place_of_comment(p_comment), coalesce(p_comment.story_id, p_comment.task_id)),
    p_comment.body, p_comment.author
  from unnest(v_jobs) j;
end;
$$;

comment on function private.send_to_agent is 'Sends a comment to the agents at work on its task or story; PT409, PT422.';

-- The jobs of these statuses that work on the task or story of a comment, alone or in a batch. Their rows are held until the end.
create function private.steerable_jobs(p_comment public.comments, p_statuses public.agent_job_status[])
returns uuid[]
language plpgsql
volatile
set search_path = ''
as $$
begin
  return array(
    select j.id
    from public.agent_jobs j
    where j.status = any (p_statuses) and j.product_id = p_comment.product_id and (
      (j.kind = 'TASK_IMPLEMENTATION' and j.task_id in (
        select t.id from public.tasks t where t.id = p_comment.task_id or t.story_id = p_comment.story_id))
      or (j.kind = 'SPRINT_IMPLEMENTATION' and j.sprint_run_id in (
        select e.sprint_run_id
        from public.tasks t
        join public.task_executions e on e.task_id = t.id and e.status in ('PENDING', 'RUNNING')
        where t.id = p_comment.task_id or t.story_id = p_comment.story_id)))
    order by j.id
    for share of j);
end;
$$;

comment on function private.steerable_jobs is 'Jobs at work on the task or story of a comment.';
