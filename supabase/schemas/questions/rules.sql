create trigger _400_touch before update on public.agent_questions for each row execute function private.tg_any__touch();

-- People who can answer get a notice at once, and webhooks hear of the end too. A question for one person reaches only
-- that person's devices and webhooks. Definer: no user writes the outbox (specification: Agent question).
create function private.tg_agent_questions__notices()
returns trigger language plpgsql security definer set search_path = '' as $$
declare
  v_subject text := coalesce((select t.code from public.tasks t where t.id = new.task_id),
    (select s.code from public.stories s where s.id = new.story_id),
    (select i.code from public.ideas i where i.id = new.idea_id));
begin
  if tg_op = 'INSERT' then
    perform private.queue_notices('question_opened', new.product_id, new.assignee_id, true,
      format(case new.kind when 'permission' then 'An agent asks your permission: %s' else 'A question about %s' end, v_subject), concat_ws(': ', new.reach, new.question), '/inbox?show=questions&question=' || new.id, private.question_json(new), new.reader_id);
  elsif new.status = 'ANSWERED' then
    perform private.audit(new.answered_by, new.answered_by, 'question.answered', private.answer_source()
      || jsonb_build_object('question_id', new.id, 'product_id', new.product_id, 'subject', v_subject));
    perform private.queue_notices('question_answered', new.product_id, null, false,
      format('Answered: %s', v_subject), new.answer, '/inbox?show=questions&question=' || new.id, private.question_json(new), new.reader_id);
  elsif new.status = 'EXPIRED' then
    perform private.queue_notices('question_expired', new.product_id, coalesce(new.escalate_to, new.assignee_id), true,
      format('No one answered in time: %s', v_subject), new.question, '/inbox?show=questions&question=' || new.id, private.question_json(new), new.reader_id);
  end if;
  return null;
end;
$$;
create trigger _700_notices after insert on public.agent_questions
  for each row when (new.status = 'OPEN') execute function private.tg_agent_questions__notices();
create trigger _701_notices after update of status on public.agent_questions
  for each row when (old.status = 'OPEN' and new.status in ('ANSWERED', 'EXPIRED'))
  execute function private.tg_agent_questions__notices();

-- The notifications stream carries the questions of all products of a user, except those for another person; a
-- permission whose reader has left goes to the owner. A question deleted while open is sent as cancelled, because the
-- stream has no deletes. Definer: no client may call private.emit (specification: Notifications stream).
create function private.tg_agent_questions__emit()
returns trigger language plpgsql security definer set search_path = '' as $$
declare
  v_event jsonb := private.change_event(tg_op, 'question', to_jsonb(old), to_jsonb(new));
  v_row public.agent_questions := coalesce(new, old);
  v_status text;
begin
  if v_event is null then
    return null;
  end if;

  v_status := lower(v_row.status::text);
  if tg_op = 'DELETE' then
    if old.status <> 'OPEN' then
      return null;
    end if;
    v_status := 'cancelled';
    v_event := v_event || '{"op": "U"}';
  end if;

  v_event := v_event || jsonb_build_object(
    'story_id', v_row.story_id,
    'idea_id', v_row.idea_id,
    'task_id', v_row.task_id,
    'assignee_id', v_row.assignee_id,
    'status', v_status
  );
  if v_row.reader_id is null then
    perform private.emit_to_members(v_row.product_id, v_event);
  elsif exists (select from public.product_members m where m.product_id = v_row.product_id and m.user_id = v_row.reader_id
      and (m.role <> 'VIEWER' or v_row.kind <> 'permission')) then
    perform private.emit('user:' || v_row.reader_id, v_event);
  elsif v_row.kind = 'permission' then
    perform private.emit('user:' || (select p.owner_id from public.products p where p.id = v_row.product_id), v_event);
  end if;
  return null;
end;
$$;
create trigger _900_emit
after insert or update or delete on public.agent_questions
for each row execute function private.tg_agent_questions__emit();

-- For the idea's owner. Definer: no client may call private.emit (specification: Other records, User question).
create function private.tg_user_questions__emit()
returns trigger language plpgsql security definer set search_path = '' as $$
declare
  v_event jsonb := private.change_event(tg_op, 'user_question', to_jsonb(old), to_jsonb(new));
  v_row public.user_questions := coalesce(new, old);
begin
  perform private.emit('user:' || v_row.user_id, v_event || jsonb_build_object('idea_id', v_row.idea_id,
    'product_id', (select i.product_id from public.ideas i where i.id = v_row.idea_id), 'status', lower(v_row.status::text)));
  return null;
end;
$$;
create trigger _900_emit
after insert or update or delete on public.user_questions
for each row execute function private.tg_user_questions__emit();

-- Cancels a question; an answered or expired one keeps its status (specification: Agent question).
create function private.close_question(p_question_id uuid)
returns void language plpgsql volatile set search_path = '' as $$
begin
  update public.agent_questions q
  set status = case when q.expires_at <= private.now() then 'EXPIRED' else 'CANCELLED' end::public.agent_question_status
  where q.id = p_question_id and q.status = 'OPEN';
end;
$$;

-- Past its expiry it counts as expired at once; the schedule only stores that (specification: Agent question).
create function private.question_status(p_question public.agent_questions)
returns public.agent_question_status language plpgsql volatile set search_path = '' as $$
begin
  if p_question.status = 'OPEN' and p_question.expires_at <= private.now() then
    return 'EXPIRED';
  end if;
  return p_question.status;
end;
$$;
grant execute on function private.question_status to authenticated;

-- A job that waited for a question goes first once the question is closed (specification: Agent job).
create function private.unpark_job(p_question public.agent_questions)
returns void language plpgsql volatile set search_path = '' as $$
declare
  v_job public.agent_jobs;
begin
  select j.* into v_job from public.agent_jobs j where j.parked_question_id = p_question.id and j.status = 'QUEUED';
  if private.awaits_choice(v_job) and private.decision_for('failure', p_question.id) is not null then
    perform private.try_again(v_job);
  end if;
  update public.agent_jobs j
  set claim_rank = 0
  where j.id = v_job.id;
end;
$$;

-- Open questions past their expiry become expired, and their policy is applied, product by product under the lock.
-- With p_only_waiting only those that work waits for or whose policy acts, which cannot wait for the daily schedule.
-- p_locked names the products the caller has already locked; without it they are found and locked here. Parallel calls
-- count each question once. Returns the count (specification: Agent question).
create function private.write_down_expired(p_only_waiting boolean, p_locked uuid[] default null)
returns integer language plpgsql volatile set search_path = '' as $$
declare
  v_now timestamptz := private.now();
  v_products uuid[] := p_locked;
  v_product_id uuid;
  v_question public.agent_questions;
  v_count integer := 0;
begin
  if v_products is null then
    v_products := array(
      select distinct q.product_id from public.agent_questions q
      where q.status = 'OPEN' and q.expires_at <= v_now and (not p_only_waiting or q.park or q.on_expiry <> 'STOP') order by 1);
    foreach v_product_id in array v_products loop
      perform private.lock_product(v_product_id);
    end loop;
  end if;

  for v_question in
    update public.agent_questions q
    set status = 'EXPIRED'
    where q.product_id = any (v_products) and q.status = 'OPEN' and q.expires_at <= v_now
      and (not p_only_waiting or q.park or q.on_expiry <> 'STOP')
    returning q.*
  loop
    v_count := v_count + 1;
    perform private.carry_out_expiry(v_question);
  end loop;
  return v_count;
end;
$$;

-- What happens when no one answered in time, never a silent yes. STOP: the waiting job does not continue; its run
-- is paused for a person, or, without a run, the job fails. A failure that waited for a choice takes place. RECOMMENDED: the job continues, and learns that the option
-- was taken by policy. ESCALATE: the question is asked again, to the member it names, with a week of time and then
-- STOP.
-- Called under the product lock for a question that was just stored as expired (specification: Agent question).
create function private.carry_out_expiry(p_question public.agent_questions)
returns void language plpgsql volatile set search_path = '' as $$
declare
  v_job public.agent_jobs;
  v_run public.sprint_runs;
  v_next_id uuid;
begin
  select j.* into v_job from public.agent_jobs j where j.parked_question_id = p_question.id and j.status = 'QUEUED';

  if p_question.on_expiry = 'ESCALATE' and p_question.escalate_to is not null and (v_job.id is not null or not p_question.park) then
    insert into public.agent_questions (product_id, story_id, idea_id, task_id, assignee_id, job_id, sprint_run_id, asked_by,
      reader_id, question, options, recommended_option, expires_at, park)
    values (p_question.product_id, p_question.story_id, p_question.idea_id, p_question.task_id, p_question.escalate_to,
      p_question.job_id, p_question.sprint_run_id, p_question.asked_by, p_question.reader_id, p_question.question, p_question.options,
      p_question.recommended_option, private.now() + interval '7 days', p_question.park)
    returning id into v_next_id;
    update public.agent_jobs j set parked_question_id = v_next_id where j.id = v_job.id;
    return;
  end if;
  if v_job.id is null then
    return;
  end if;
  if private.awaits_choice(v_job) then
    perform private.fail_after_all(v_job);
    return;
  end if;
  if p_question.on_expiry = 'RECOMMENDED' then
    perform private.unpark_job(p_question);
    return;
  end if;

  select r.* into v_run from public.sprint_runs r where r.id = v_job.sprint_run_id and r.status in ('QUEUED', 'RUNNING');
  if v_run.id is not null then
    perform private.pause_run(v_run, 'question_expired', null, null, v_job.id);
  elsif v_job.sprint_run_id is null then
    update public.agent_jobs j
    set status = 'FAILED', failure_class = 'agent_error', failure_reason = 'Its question was not answered in time.'
    where j.id = v_job.id;
  end if;
end;
$$;
