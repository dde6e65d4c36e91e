-- Refusals: 404, 403, 429, 422, 409. Definer: comments are written by functions only.
create function operations.add_comment(p_kind text, p_id uuid, p_body text, p_send_to_agent boolean default false)
returns json language plpgsql volatile security definer set search_path = '' as $$
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
    case v_kind when 'task' then p_id end, p_body, auth.uid(), coalesce(private.username(auth.uid()), 'someone'))
  returning * into v_comment;
  perform private.mention_members(v_comment);
  perform private.adopt_files(v_comment);
  if p_send_to_agent then
    perform private.send_to_agent(v_comment);
  end if;
  return private.item_comment_json(v_comment);
end;
$$;
grant execute on function operations.add_comment to authenticated;
comment on function operations.add_comment is 'scope plan or work';

-- A comment on a task, or on its story, goes to every agent at work on it; if there is none, to the queued job. A
-- job that ends at the same moment is waited for: either its end finds the message, or the message finds no job.
-- Refusals: 403, 409 without such a job, 422. Definer, as for all writes of comments.
create function private.send_to_agent(p_comment public.comments)
returns void language plpgsql volatile set search_path = '' as $$
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

-- Jobs of these statuses on a comment's task or story, alone or in a batch. Their rows stay locked.
create function private.steerable_jobs(p_comment public.comments, p_statuses public.agent_job_status[])
returns uuid[] language plpgsql volatile set search_path = '' as $$
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

-- The one rule for who may comment: everyone who can read, including viewers. The first line of every write: 404, 403,
-- then a share of the product's lock, as nothing else changes. Definer as require_write. Returns the product.
create function private.require_commenter(p_kind text, p_id uuid)
returns uuid language plpgsql volatile security definer set search_path = '' as $$
declare
  v_product_id uuid := private.require_access(p_kind, p_id);
begin
  perform private.share_product(v_product_id);
  perform private.require_product_write(v_product_id, true);
  return v_product_id;
end;
$$;

-- pbi, story or task: where a comment is.
create function private.place_of_comment(p_comment public.comments)
returns text language sql immutable set search_path = '' as $$
  select case when p_comment.pbi_id is not null then 'pbi' when p_comment.story_id is not null then 'story' else 'task' end;
$$;
grant execute on function private.place_of_comment to service_role;

-- Authors can delete their comments, and the product's owner anyone's, which the author's audit trail records.
-- Refusals: 404, 403, 429. Definer: comments are written by functions only.
create function operations.delete_comment(p_kind text, p_id uuid, p_comment_id uuid)
returns json language plpgsql volatile security definer set search_path = '' as $$
declare
  v_comment public.comments := private.lock_comment(p_kind, p_id, p_comment_id);
begin
  if v_comment.author_id is distinct from auth.uid() and not exists (
    select from public.products p where p.id = v_comment.product_id and p.owner_id = auth.uid())
  then
    perform private.refuse(403, 'Only its author or the owner of the product can delete a comment. Ask one of them.');
  end if;
  delete from public.comments c where c.id = p_comment_id;
  perform private.audit(coalesce(v_comment.author_id, auth.uid()), auth.uid(), 'comment.deleted',
    jsonb_build_object('product_id', v_comment.product_id, 'comment_id', p_comment_id, 'code', private.code_of(p_kind, p_id)));
  return json_build_object('id', p_comment_id, 'deleted', true);
end;
$$;
grant execute on function operations.delete_comment to authenticated;
comment on function operations.delete_comment is 'scope plan or work';

-- Its author edits a comment, for all to see. Refusals: 404, 403, 429, 422. Definer: comments are written by functions.
create function operations.edit_comment(p_kind text, p_id uuid, p_comment_id uuid, p_body text)
returns json language plpgsql volatile security definer set search_path = '' as $$
declare
  v_comment public.comments := private.lock_comment(p_kind, p_id, p_comment_id);
begin
  if v_comment.author_id is distinct from auth.uid() then
    perform private.refuse(403, 'Only its author can edit a comment. Write one of your own.');
  end if;
  perform private.require_comment_body(p_body);
  if p_body = v_comment.body then
    return private.item_comment_json(v_comment);
  end if;
  update public.comments c set body = p_body, edited_at = private.now() where c.id = p_comment_id returning c.* into v_comment;
  perform private.mention_members(v_comment);
  perform private.adopt_files(v_comment);
  perform private.audit(auth.uid(), auth.uid(), 'comment.edited', jsonb_build_object('product_id', v_comment.product_id,
    'comment_id', p_comment_id, 'code', private.code_of(p_kind, p_id)));
  return private.item_comment_json(v_comment);
end;
$$;
grant execute on function operations.edit_comment to authenticated;
comment on function operations.edit_comment is 'scope plan or work';

-- People who watch a job can write to its agent from there. The message is a comment on the job's task, in a batch
-- on the task it is at. Refusals: 404, 403, 409, 422, 429. Definer: comments are written by functions only.
create function operations.message_job(p_job_id uuid, p_body text)
returns json language plpgsql volatile security definer set search_path = '' as $$
declare
  v_job public.agent_jobs;
  v_task_id uuid;
begin
  perform private.require_job(p_job_id);
  select j.* into v_job from public.agent_jobs j where j.id = p_job_id;
  v_task_id := coalesce(v_job.task_id, (
    select e.task_id from public.task_executions e
    where e.sprint_run_id = v_job.sprint_run_id and e.status in ('RUNNING', 'PENDING')
    order by e.status = 'RUNNING' desc, e.position
    limit 1));
  if v_task_id is null or v_job.status not in ('QUEUED', 'CLAIMED', 'RUNNING') then
    perform private.require_product_write(v_job.product_id);
    perform private.refuse(409, 'This job has no agent to write to any more. Comment on its task instead.');
  end if;
  return operations.add_comment('task', v_task_id, p_body, true);
end;
$$;
grant execute on function operations.message_job to authenticated;

-- Locks and returns the comment to change, at the named item. 404, 403.
create function private.lock_comment(p_kind text, p_id uuid, p_comment_id uuid)
returns public.comments language plpgsql volatile set search_path = '' as $$
declare
  v_comment public.comments;
begin
  perform private.require_commenter(private.require_comment_place(p_kind), p_id);
  perform private.take_rate_limit('comment', auth.uid()::text);
  select c.* into v_comment from public.comments c
  where c.id = p_comment_id and p_id in (c.pbi_id, c.story_id, c.task_id)
  for update;
  if not found then
    perform private.refuse(404, 'No such comment. It may have been deleted.');
  end if;
  return v_comment;
end;
$$;

-- `@name` reaches that member at once, on their devices and in their inbox. Names in code or in addresses do not
-- count. An edit does not notify members again, and deletes mentions that are gone. Authors cannot mention themselves.
create function private.mention_members(p_comment public.comments)
returns void language plpgsql volatile set search_path = '' as $$
declare
  v_prose text := regexp_replace(regexp_replace(p_comment.body, '(```|~~~).*?(\1|$)', ' ', 'g'), '`[^`\n]*`', ' ', 'g');
  v_kind text := private.place_of_comment(p_comment);
  v_id uuid := coalesce(p_comment.pbi_id, p_comment.story_id, p_comment.task_id);
  v_members uuid[];
  v_user_id uuid;
begin
  select coalesce(array_agg(m.user_id), '{}') into v_members
  from public.product_members m
  join public.users u on u.id = m.user_id
  where m.product_id = p_comment.product_id and m.user_id is distinct from p_comment.author_id
    and lower(u.username) in (
      -- "@ada." ends a sentence: the name may be there with its last signs or without them.
      select n.name from regexp_matches(lower(v_prose), '(?:^|[^a-z0-9._@/-])@([a-z0-9][a-z0-9._-]{0,39})', 'g') f (found)
      cross join lateral (values (f.found[1]), (rtrim(f.found[1], '._-'))) n (name));

  delete from public.comment_mentions o where o.comment_id = p_comment.id and o.user_id <> all (v_members);
  for v_user_id in
    insert into public.comment_mentions (comment_id, user_id)
    select p_comment.id, m from unnest(v_members) m
    on conflict do nothing
    returning user_id
  loop
    -- A mention is for one person: it is sent to their devices and to no webhook.
    perform private.queue_notices('mentioned', p_comment.product_id, v_user_id, true,
      format('%s mentioned you in %s', p_comment.author, private.code_of(v_kind, v_id)), p_comment.body,
      private.comment_path(p_comment),
      jsonb_build_object('comment_id', p_comment.id, 'kind', v_kind, 'id', v_id), v_user_id);
  end loop;
end;
$$;

-- A comment has text, and is short enough to read.
create function private.require_comment_body(p_body text)
returns void language plpgsql volatile set search_path = '' as $$
begin
  if coalesce(p_body, '') !~ '\S' or char_length(p_body) > 10000 then
    perform private.refuse(422, 'A comment has 1 to 10,000 characters. Put longer texts into the description.',
      '{"issues":[{"path":"body","message":"Must have 1 to 10,000 characters."}]}');
  end if;
end;
$$;
