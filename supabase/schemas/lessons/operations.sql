-- A person decides what agents read. Editing and accepting is one step, so that people accept
-- only what they see; the same sentence that still waits a second time goes with it. Tokens are refused: an agent could accept its own
-- words. Refusals: 404, 403, 409 for a second verdict, 422. Definer: lessons are written by functions only (docs/running.md).
create function operations.decide_lesson(p_lesson_id uuid, p_verdict text, p_text text default null)
returns json language plpgsql volatile security definer set search_path = '' as $$
declare
  v_verdict text;
  v_lesson public.lessons;
  v_text text;
begin
  perform private.require_write('lesson', p_lesson_id);
  perform private.require_session('A lesson needs a person: sign in and decide it there.');
  perform private.take_rate_limit('lesson', auth.uid()::text);
  v_verdict := lower(private.require_choice('verdict', p_verdict, array['ACCEPT', 'DECLINE', 'RETIRE']));
  select l.* into v_lesson from public.lessons l where l.id = p_lesson_id for update;
  if v_lesson.status is distinct from (case v_verdict when 'retire' then 'accepted' else 'proposed' end) then
    perform private.refuse(409, format('This lesson is %s. Reload the page.', v_lesson.status), jsonb_build_object('status', v_lesson.status));
  end if;
  if p_text is not null and v_verdict <> 'accept' then
    perform private.refuse(422, 'Only a lesson that is accepted takes another text.');
  end if;
  v_text := case when p_text is null then v_lesson.text else private.require_lesson_text(p_text) end;
  if v_verdict = 'accept' and (
    select count(*) >= 50 from public.lessons l where l.product_id = v_lesson.product_id and l.status = 'accepted')
  then
    perform private.refuse(409, 'This product has 50 lessons, which is the most that agents can heed. Retire one first.');
  end if;

  update public.lessons l
  set text = v_text,
    status = case v_verdict when 'accept' then 'accepted' when 'decline' then 'declined' else 'retired' end,
    accepted_by = case v_verdict when 'accept' then coalesce(private.username(auth.uid()), 'someone') else l.accepted_by end,
    since = case v_verdict when 'accept' then private.now() else l.since end,
    counted_from = case v_verdict when 'accept' then private.now() end,
    before = case when v_verdict = 'retire' then l.before else private.effect_until_now(l) end,
    after = case when v_verdict = 'retire' then private.effect_since(l) else l.after end
  where l.id = p_lesson_id
  returning l.* into v_lesson;
  if v_verdict = 'accept' then
    update public.lessons l set status = 'declined'
    where l.product_id = v_lesson.product_id and l.status = 'proposed' and l.text = v_text;
  end if;
  return private.lesson_json(v_lesson, v_lesson.before, v_lesson.after);
end;
$$;
grant execute on function operations.decide_lesson to authenticated;

-- An agent without Backloom's worker proposes what it learned from rework. Refusals: 404, 403, 409 without rework, beyond three
-- a job, or what the team has decided, 422. Definer: lessons are written by functions only (docs/runs.md).
create function operations.propose_lesson(p_product_id uuid, p_text text, p_job_id uuid)
returns json language plpgsql volatile security definer set search_path = '' as $$
declare
  v_job public.agent_jobs;
  v_text text;
  v_cause text;
  v_known text;
  v_lesson public.lessons;
begin
  perform private.require_product_access(p_product_id);
  perform private.require_product_write(p_product_id);
  if not exists (select from public.agent_jobs j where j.id = p_job_id and j.product_id = p_product_id) then
    perform private.refuse(422, 'This product has no such job. Name a job of this product whose work came back.',
      '{"issues":[{"path":"job_id","message":"Must be a job of this product."}]}');
  end if;
  v_job := private.lock_job(p_job_id, true);
  perform private.take_rate_limit('lesson', auth.uid()::text);
  v_text := private.require_lesson_text(p_text);
  v_cause := private.cause_of_rework(v_job);
  if v_cause is null then
    perform private.refuse(409, 'A lesson comes from work that came back: after requested changes, a refuted proof or failed CI. This job''s work did not.');
  end if;
  if (select count(*) >= 3 from public.lessons l where l.job_id = p_job_id) then
    perform private.refuse(409, 'This job has proposed three lessons, which is the limit. Go on without another one.');
  end if;
  select l.status into v_known from public.lessons l
  where l.product_id = p_product_id and l.text = v_text and l.status <> 'proposed' limit 1;
  if found then
    perform private.refuse(409, format('The team has decided about this lesson already: it is %s.', v_known), jsonb_build_object('status', v_known));
  end if;
  v_lesson := private.insert_lesson(v_job, v_text, v_cause);
  return private.lesson_json(v_lesson, private.effect_until_now(v_lesson), v_lesson.after);
end;
$$;
grant execute on function operations.propose_lesson to authenticated;
comment on function operations.propose_lesson is 'scope work';

-- The lessons that come with a report must not keep it from being accepted: without rework, or beyond three a job,
-- they are left out, and so is a text that the product has already, as reports are repeated.
create function private.propose_lessons(p_job public.agent_jobs, p_texts jsonb)
returns void language plpgsql volatile set search_path = '' as $$
declare
  v_cause text := private.cause_of_rework(p_job);
  v_text text;
begin
  for v_text in
    select private.lesson_text(e.text) from jsonb_array_elements_text(p_texts) with ordinality e (text, place) where v_cause is not null order by e.place
  loop
    if char_length(v_text) between 1 and 300
      and not exists (select from public.lessons l where l.product_id = p_job.product_id and l.text = v_text)
      and (select count(*) < 3 from public.lessons l where l.job_id = p_job.id)
    then
      perform private.insert_lesson(p_job, v_text, v_cause);
    end if;
  end loop;
end;
$$;

-- A lesson is measured among tasks like the one that it came from.
create function private.insert_lesson(p_job public.agent_jobs, p_text text, p_cause text)
returns public.lessons language plpgsql volatile set search_path = '' as $$
declare
  v_lesson public.lessons;
begin
  insert into public.lessons (product_id, text, cause, job_id, task_id, label_ids)
  select p_job.product_id, p_text, p_cause, p_job.id, t.id, t.label_ids || s.label_ids
  from public.tasks t join public.stories s on s.id = t.story_id where t.id = p_job.task_id
  returning * into v_lesson;
  return v_lesson;
end;
$$;

-- The cause for which the work of a job's task last came back; null when it never did.
create function private.cause_of_rework(p_job public.agent_jobs)
returns text language plpgsql stable set search_path = '' as $$
begin
  return (
    select r.cause from public.task_returns r
    where r.task_id = p_job.task_id order by r.created_at desc, r.cause limit 1);
end;
$$;

-- One line that shows all an agent will read: without zero-width, direction and tag characters, variation selectors.
create function private.lesson_text(p_text text) returns text language sql immutable set search_path = '' as $$
  select btrim(regexp_replace(regexp_replace(p_text,
    '[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e0fff]', '', 'g'), '[[:space:][:cntrl:]]+', ' ', 'g'));
$$;

-- The length counts after the hidden characters are gone.
create function private.require_lesson_text(p_text text) returns text language plpgsql stable set search_path = '' as $$
declare
  v_text text := private.lesson_text(p_text);
begin
  if char_length(v_text) between 1 and 300 then
    return v_text;
  end if;
  perform private.refuse(422, 'A lesson is one sentence of 1 to 300 characters.',
    '{"issues":[{"path":"text","message":"Must have 1 to 300 characters."}]}');
  return null;
end;
$$;
