-- Refusals: 404, 403, 429, 422, 409. Definer: comments are written by functions only.
create function operations.add_comment(p_kind text, p_id uuid, p_body text, p_send_to_agent boolean default false)
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_kind text := private.require_comment_place(p_kind);
  v_product_id uuid := private.require_commenter(v_kind, p_id);
  v_comment public.comments;
begin
  perform private.take_rate_limit('comment', auth.uid()::text);
  perform private.require_comment_body(p_body);
  if (select count(*) from public.comments c
      where c.pbi_id = p_id or c.story_id = p_id or c.task_id = p_id) >= 1000 then
    perform private.refuse(409, 'There are 1,000 comments here, which is the limit. Delete some, or write the rest in the description.');
  end if;
  insert into public.comments (product_id, pbi_id, story_id, task_id, body, author_id, author)
  values (v_product_id, case v_kind when 'pbi' then p_id end, case v_kind when 'story' then p_id end,
    case v_kind when 'task' then p_id end, p_body, auth.uid(), coalesce(private.username(auth.uid()), 'somebody'))
  returning * into v_comment;
  perform private.mention_members(v_comment);
  perform private.adopt_files(v_comment);
  if p_send_to_agent then
    perform private.send_to_agent(v_comment);
  end if;
  return private.item_comment_json(v_comment);
end;
$$;

comment on function operations.add_comment is 'Adds a comment to a PBI, story or task, and sends it to the agents at work when that is wished.';
grant execute on function operations.add_comment to authenticated;

-- Why: a comment on a task, or on its story, goes to every agent at work on it; if there is none, to the queued job. A
-- job that ends at the same moment is waited for: either its end finds the message, or the message finds no job.
-- Refusals: 403, 409 if there is no such job, 422. Definer, as for all writes of comments.
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

-- The jobs of these statuses that work on the task or story of a comment, alone or in a batch. Their rows stay locked
-- until the end of the transaction.
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
