-- The page of an idea shows its user's questions and those of agents, in order. Ideas belong to one user. Definer:
-- the idea's owner is checked first (specification: Idea; User question).
create function private.idea_conversation(p_idea_id uuid)
returns json language plpgsql stable security definer set search_path = '' as $$
begin
  perform private.require_own_idea(p_idea_id);
  return json_build_object(
    'user_questions', (
      select coalesce(jsonb_agg(private.user_question_json(u) order by u.created_at, u.id), '[]')
      from public.user_questions u where u.idea_id = p_idea_id),
    'agent_questions', (
      select coalesce(jsonb_agg(private.question_json(q) order by q.created_at, q.id), '[]')
      from public.agent_questions q where q.idea_id = p_idea_id));
end;
$$;
grant execute on function private.idea_conversation to authenticated;

-- Kept for processes of 0.4.0, whose page of an idea calls it until they are replaced.
create function operations.get_idea_conversation(p_idea_id uuid)
returns json language plpgsql stable set search_path = '' as $$
begin
  return jsonb_build_object('idea_id', p_idea_id) || private.idea_conversation(p_idea_id)::jsonb;
end;
$$;
grant execute on function operations.get_idea_conversation to authenticated;

-- One question, for its agent and its page. Definer: access is checked first (specification: Agent question).
create function operations.get_question(p_question_id uuid)
returns json language plpgsql stable security definer set search_path = '' as $$
declare
  v_question public.agent_questions;
begin
  select q.* into v_question from public.agent_questions q where q.id = p_question_id;
  if not found then
    perform private.refuse_unknown('question');
  end if;
  perform private.require_question_reader(v_question);
  return private.question_json(v_question);
end;
$$;
grant execute on function operations.get_question to authenticated;

-- The one rule for who may read and answer a question. A question about someone else's idea is 404. A permission
-- may be known to exist, because its job says what it waits for, but only the user of the asking worker can give it.
-- Once that user has left, the owner can dismiss it (specification: Agent question).
create function private.require_question_reader(p_question public.agent_questions)
returns void language plpgsql stable set search_path = '' as $$
begin
  perform private.require_product_access(p_question.product_id);
  if p_question.reader_id is null or p_question.reader_id = auth.uid() or private.is_left_to_owner(p_question) then
    return;
  end if;
  if p_question.idea_id is not null then
    perform private.refuse_unknown('question');
  end if;
  perform private.refuse(403, format('Only %s can answer this: an agent asks what it may do on their machine.',
    coalesce(private.username(p_question.reader_id), 'the user of the worker')));
end;
$$;

-- The caller's questions that no worker has answered yet, oldest first, in pages. Questions whose job was given up
-- and deleted are left out. Definer: only the caller's own rows (specification: User question).
create function operations.list_open_user_questions(
  p_product_id uuid default null, p_limit integer default 50, p_cursor text default null
) returns json language plpgsql stable security definer set search_path = '' as $$
declare
  v_after record := private.read_cursor(p_cursor, 1);
  v_limit integer := least(greatest(coalesce(p_limit, 50), 1), 100);
begin
  if p_product_id is not null then
    perform private.require_product_access(p_product_id);
  end if;
  return (select private.page_json('user_questions', array_agg(private.user_question_json(u) order by u.created_at, u.id),
    array_agg(private.cursor_of(u.id, private.microseconds(u.created_at)) order by u.created_at, u.id), v_limit)
  from (
    select x.* from public.user_questions x
    join public.ideas i on i.id = x.idea_id
    where x.user_id = auth.uid() and x.status = 'PENDING' and x.job_id is not null
      and private.is_open_to_token(i.product_id)
      and (p_product_id is null or i.product_id = p_product_id)
      and (p_cursor is null or (x.created_at, x.id) > (private.time_at(v_after.place[1]), v_after.id))
    order by x.created_at, x.id
    limit v_limit
  ) u);
end;
$$;
grant execute on function operations.list_open_user_questions to authenticated;

-- Questions of all the caller's products, or of one, by state, newest first, in pages. An open question past its
-- expiry is listed as expired; in an archived product, where no one can answer, it is not listed. Definer:
-- the query itself limits the products (specification: Agent question).
create function operations.list_questions(
  p_product_id uuid default null, p_state text default null, p_job_id uuid default null, p_limit integer default 50,
  p_cursor text default null
) returns json language plpgsql stable security definer set search_path = '' as $$
declare
  v_after record := private.read_cursor(p_cursor, 1);
  v_now timestamptz := private.now();
  v_limit integer := least(greatest(coalesce(p_limit, 50), 1), 200);
  v_state text := private.require_choice('state', p_state, array['OPEN', 'ANSWERED', 'CANCELLED', 'EXPIRED']);
begin
  if p_product_id is not null then
    perform private.require_product_access(p_product_id);
  end if;
  return (select private.page_json('questions', array_agg(private.question_json(q) order by q.created_at desc, q.id desc),
    array_agg(private.cursor_of(q.id, private.microseconds(q.created_at)) order by q.created_at desc, q.id desc), v_limit)
  from (
    select x.* from public.agent_questions x
    where x.product_id in (select private.accessible_product_ids())
      and (x.reader_id is null or x.reader_id = auth.uid() or private.is_left_to_owner(x))
      and (x.status <> 'OPEN' or x.expires_at <= v_now or x.product_id in (select private.open_product_ids()))
      and (p_product_id is null or x.product_id = p_product_id)
      and (p_job_id is null or x.job_id = p_job_id)
      and (v_state is null or v_state = case when x.status = 'OPEN' and x.expires_at <= v_now then 'EXPIRED' else x.status::text end)
      and (p_cursor is null or (x.created_at, x.id) < (private.time_at(v_after.place[1]), v_after.id))
    order by x.created_at desc, x.id desc
    limit v_limit
  ) q);
end;
$$;
grant execute on function operations.list_questions to authenticated;

-- If a permission's reader has left the product or is now a viewer, no one can give it, and its job would wait
-- until it expires. The product's owner may read and dismiss it, but no one can allow it in the reader's place
-- (specification: Agent question).
create function private.is_left_to_owner(p_question public.agent_questions)
returns boolean language sql stable set search_path = '' as $$
  select p_question.kind = 'permission'
    and p_question.product_id in (select private.owned_product_ids())
    and not exists (
      select from public.product_members m where m.product_id = p_question.product_id and m.user_id = p_question.reader_id and m.role <> 'VIEWER');
$$;
grant execute on function private.is_left_to_owner to authenticated;

-- One form of a question for all readers. If no one answered a question whose policy is the recommended option,
-- `effective_answer` is that option, marked as taken by policy: an agent never mistakes it for a person's yes
-- (specification: Agent question).
create function private.question_json(p_question public.agent_questions)
returns jsonb language plpgsql stable set search_path = '' as $$
declare
  v_status public.agent_question_status := private.question_status(p_question);
begin
  return to_jsonb(p_question) || jsonb_build_object(
    'status', lower(v_status::text),
    'product_code', (select p.code from public.products p where p.id = p_question.product_id),
    'product_name', (select p.name from public.products p where p.id = p_question.product_id),
    'story_code', (select s.code from public.stories s where s.id = p_question.story_id),
    'story_title', (select s.title from public.stories s where s.id = p_question.story_id),
    'task_code', (select t.code from public.tasks t where t.id = p_question.task_id),
    'task_title', (select t.title from public.tasks t where t.id = p_question.task_id),
    'idea_code', (select i.code from public.ideas i where i.id = p_question.idea_id),
    'asked_by_name', private.username(p_question.asked_by),
    'assignee_name', private.username(p_question.assignee_id),
    'reader_name', private.username(p_question.reader_id),
    'reader_left', private.is_left_to_owner(p_question),
    'asks', private.question_asks(p_question),
    'needs_option', (private.run_paused_by(p_question)).id is not null,
    'answered_by_name', private.username(p_question.answered_by),
    'effective_answer', case
      when v_status = 'ANSWERED' then p_question.answer
      when v_status = 'EXPIRED' and p_question.on_expiry = 'RECOMMENDED'
        then p_question.options -> p_question.recommended_option ->> 'label'
    end,
    'taken_by_policy', v_status = 'EXPIRED' and p_question.on_expiry = 'RECOMMENDED'
  );
end;
$$;
grant execute on function private.question_json to authenticated;

-- What a question is about, which says what it is shown as and which comes first.
create function private.question_asks(p_question public.agent_questions)
returns text language plpgsql stable set search_path = '' as $$
declare
  v_run public.sprint_runs := private.run_paused_by(p_question);
begin
  return case
    when p_question.plan is not null then 'plan'
    when v_run.pause_context ->> 'reason' = 'merge_conflict' then 'conflict'
    when v_run.id is not null then 'pause'
    when p_question.options -> 0 ->> 'label' = 'Try again' then 'failure'
    else p_question.kind::text
  end;
end;
$$;
grant execute on function private.question_asks to authenticated;

-- One form of a user question, with the state of its job (specification: User question).
create function private.user_question_json(p_question public.user_questions)
returns jsonb language plpgsql stable set search_path = '' as $$
begin
  return to_jsonb(p_question) || jsonb_build_object(
    'status', lower(p_question.status::text),
    'idea_code', (select i.code from public.ideas i where i.id = p_question.idea_id),
    'idea_title', (select i.title from public.ideas i where i.id = p_question.idea_id),
    'product_id', (select i.product_id from public.ideas i where i.id = p_question.idea_id),
    'job_status', (select lower(j.status::text) from public.agent_jobs j where j.id = p_question.job_id),
    'job_failure_reason', (select j.failure_reason from public.agent_jobs j where j.id = p_question.job_id));
end;
$$;
