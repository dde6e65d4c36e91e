create trigger _400_touch before update on public.lessons for each row execute function private.tg_any__touch();

create trigger _900_emit after insert or update on public.lessons for each row
  execute function private.tg_any__emit('lesson', '{product:product_id}', '{"status": "status"}');
create trigger _910_notify_inbox after insert or update of status, has_effect on public.lessons
  for each row execute function private.tg_any__notify_inbox();

-- Remembers that work came back: review, verifier, CI, landing queue. Not for conflicts: the agent did not err.
create function private.note_return(p_job public.agent_jobs, p_cause text)
returns void language plpgsql volatile set search_path = '' as $$
begin
  insert into public.task_returns (job_id, attempt, cause, product_id, task_id, begun_at)
  select p_job.id, p_job.attempt, p_cause, p_job.product_id, p_job.task_id, coalesce((
    select a.started_at from public.job_attempts a where a.job_id = p_job.id and a.attempt = p_job.attempt), private.now())
  where p_cause is not null and p_job.task_id is not null
  on conflict do nothing;
  perform private.evaluate_lessons(p_job.product_id, true);
end;
$$;

-- After 30 tasks a lesson that changed nothing proposes its own end, in the inbox. Called when an attempt ends; one
-- that helped can only lose its effect by later returns, so it is weighed again (p_again) then. Skips what
-- another end weighs at this moment, so that ends do not wait for each other.
create function private.evaluate_lessons(p_product_id uuid, p_again boolean)
returns void language plpgsql volatile set search_path = '' as $$
begin
  if not exists (select from public.lessons l where l.product_id = p_product_id and l.status = 'accepted') then
    return;
  end if;
  update public.lessons l
  set weighed_at = private.now(), has_effect = w.after[1]::bigint * l.before[2] < l.before[1]::bigint * w.after[2]
  from (
    select d.id, private.effect_since(d) as after
    from (
      select o.* from public.lessons o
      where o.product_id = p_product_id and o.status = 'accepted' and o.has_effect is not false
        and (p_again or o.weighed_at is null)
      for update skip locked) d
  ) w
  where l.id = w.id and w.after[2] >= 30;
end;
$$;
