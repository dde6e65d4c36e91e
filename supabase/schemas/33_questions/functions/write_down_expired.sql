-- Why: open questions past their expiry become expired, and their policy is applied, product by product under the lock.
-- With p_only_waiting only those that work waits for or whose policy acts, which cannot wait for the daily schedule.
-- p_locked names the products the caller has already locked; without it they are found and locked here. Parallel calls
-- count each question once. Returns the count.
create function private.write_down_expired(p_only_waiting boolean, p_locked uuid[] default null)
returns integer
language plpgsql
volatile
set search_path = ''
as $$
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

comment on function private.write_down_expired is 'open to expired, with its policy (specification: Agent question).';

-- Why: what happens when nobody answered in time, never a silent yes. STOP: the waiting job does not continue; its run
-- is paused for a person, or, without a run, the job fails. RECOMMENDED: the job continues, and learns that the option
-- was taken by policy. ESCALATE: the question is asked again, to the member it names, with a week of time and then
-- STOP.
-- Called under the product lock for a question that was just stored as expired.
create function private.carry_out_expiry(p_question public.agent_questions)
returns void
language plpgsql
volatile
set search_path = ''
as $$
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

comment on function private.carry_out_expiry is
  'STOP, RECOMMENDED or ESCALATE after an expiry (specification: Agent question).';
