-- Verdicts that can still be taken back: what follows from one begins when its time is over. A story's verdict has a row for each
-- attempt, which are given and taken back together. In the database, so that a closed page or a process that ends loses none.
-- Written by functions only.
create table public.pending_verdicts (
  job_id uuid primary key references public.agent_jobs (id) on delete cascade,
  product_id uuid not null references public.products (id) on delete cascade,
  user_id uuid not null references public.users (id) on delete cascade,
  verdict_id uuid not null,
  place integer not null,
  review_id uuid not null,
  attempt integer not null constraint pending_verdicts_attempt_positive check (attempt >= 1),
  verdict text not null constraint pending_verdicts_verdict_known check (verdict in ('approve', 'request_changes')),
  summary text not null constraint pending_verdicts_summary_length check (char_length(summary) <= 10000),
  head_sha text constraint pending_verdicts_head_sha_length check (char_length(head_sha) <= 64),
  criteria jsonb,
  confirm jsonb,
  given_at timestamptz not null,
  undo_until timestamptz not null
);
comment on table public.pending_verdicts is 'Verdicts that can still be taken back (docs/review.md).';
comment on column public.pending_verdicts.verdict_id is 'The verdict that it is a part of.';
comment on column public.pending_verdicts.review_id is 'The id of its review, which is written when its time is over.';
create index pending_verdicts_verdict_id_idx on public.pending_verdicts (verdict_id);
create index pending_verdicts_product_id_idx on public.pending_verdicts (product_id);
create index pending_verdicts_user_id_idx on public.pending_verdicts (user_id);

alter table public.pending_verdicts enable row level security;

-- Judges attempts one after the other, all or none: at once, or with p_undo_seconds when these are over. Then all of it is
-- tried now and rolled back, so that each refusal comes while the person is there. p_attempts: { job_id, attempt, confirm }.
-- The caller holds the product's lock.
create function private.give_verdict(p_attempts jsonb, p_verdict text, p_summary text, p_criteria jsonb, p_undo_seconds integer)
returns jsonb language plpgsql volatile set search_path = '' as $$
declare
  v_now timestamptz := private.now();
  v_seconds integer := least(greatest(coalesce(p_undo_seconds, 0), 0), 30);
  v_until timestamptz := case when v_seconds > 0 then v_now + make_interval(secs => v_seconds) end;
  v_answers jsonb := '[]';
  v_each record;
begin
  if v_seconds > 0 then
    perform private.require_session('Only a person who is signed in can take a verdict back. Leave out undo_seconds.');
  end if;
  begin
    for v_each in select a.value from jsonb_array_elements(p_attempts) with ordinality a (value, place) order by a.place loop
      v_answers := v_answers || private.judge((v_each.value ->> 'job_id')::uuid, p_verdict, p_summary, (v_each.value ->> 'attempt')::integer,
        p_criteria, nullif(v_each.value -> 'confirm', 'null'), gen_random_uuid(), v_now);
    end loop;
    if v_seconds > 0 then
      raise exception using errcode = 'BL001';
    end if;
  exception when sqlstate 'BL001' then
    null;
  end;
  perform private.take_rate_limit('job_review', auth.uid()::text) from jsonb_array_elements(p_attempts);
  if v_seconds > 0 then
    insert into public.pending_verdicts
      (job_id, product_id, user_id, verdict_id, place, review_id, attempt, verdict, summary, head_sha, criteria, confirm,
      given_at, undo_until)
    select j.id, j.product_id, auth.uid(), (v_answers -> 0 ->> 'id')::uuid, x.place, (x.answer ->> 'id')::uuid, (x.answer ->> 'attempt')::integer,
      x.answer ->> 'verdict', x.answer ->> 'summary', j.head_sha, p_criteria, nullif(p_attempts -> (x.place - 1)::integer -> 'confirm', 'null'), v_now, v_until
    from jsonb_array_elements(v_answers) with ordinality x (answer, place)
    join public.agent_jobs j on j.id = (x.answer ->> 'job_id')::uuid
    on conflict (job_id) do nothing;
    perform private.tell_verdict(j) from public.agent_jobs j
    where j.id in (select (x ->> 'job_id')::uuid from jsonb_array_elements(v_answers) x);
  end if;
  return (
    select jsonb_agg(x.answer || jsonb_build_object('undo_until', v_until, 'job', private.job_json(j)) order by x.place)
    from jsonb_array_elements(v_answers) with ordinality x (answer, place)
    join public.agent_jobs j on j.id = (x.answer ->> 'job_id')::uuid);
end;
$$;

-- Lists and pages that show the job read again.
create function private.tell_verdict(p_job public.agent_jobs)
returns void language plpgsql volatile set search_path = '' as $$
begin
  perform private.emit_part_change('job', p_job.id, 'review'),
    private.emit_to_members(p_job.product_id,
      jsonb_build_object('op', 'U', 'entity', 'inbox', 'id', p_job.id, 'product_id', p_job.product_id));
end;
$$;

-- What a person judged waits for a verdict again, the whole of it.
create function private.drop_verdict(p_verdict_id uuid)
returns void language plpgsql volatile set search_path = '' as $$
declare
  v_jobs uuid[];
begin
  with gone as (delete from public.pending_verdicts v where v.verdict_id = p_verdict_id returning v.job_id)
  select array_agg(g.job_id) into v_jobs from gone g;
  perform private.tell_verdict(j) from public.agent_jobs j where j.id = any (v_jobs);
end;
$$;

-- Verdicts whose time is over are given as their people, the first first. One that would be refused now lapses, as when the
-- person has left the product; what only could not be now is tried again. Called by the sweep, under the locks of the products.
create function private.give_due_verdicts(p_products uuid[])
returns void language plpgsql volatile set search_path = '' as $$
declare
  v_claims text := coalesce(current_setting('request.jwt.claims', true), '');
  v_due record;
  v_each public.pending_verdicts;
begin
  for v_due in
    select distinct v.undo_until, v.verdict_id, v.user_id from public.pending_verdicts v
    where v.product_id = any (p_products) and v.undo_until <= private.now()
    order by v.undo_until, v.verdict_id
  loop
    perform set_config('request.jwt.claims', jsonb_build_object('sub', v_due.user_id, 'role', 'authenticated')::text, true);
    begin
      if private.is_shut_out(v_due.user_id) then
        perform private.refuse(403, 'This account has been closed.');
      end if;
      for v_each in select * from public.pending_verdicts v where v.verdict_id = v_due.verdict_id order by v.place loop
        delete from public.pending_verdicts v where v.job_id = v_each.job_id;
        if exists (select from public.agent_jobs j where j.id = v_each.job_id and j.head_sha is distinct from v_each.head_sha) then
          perform private.refuse(409, 'The work has changed since it was judged.');
        end if;
        perform private.judge(v_each.job_id, v_each.verdict, v_each.summary, v_each.attempt, v_each.criteria, v_each.confirm,
          v_each.review_id, v_each.given_at);
      end loop;
    exception when others then
      if sqlstate !~ '^(40|53|55|57)' then
        perform private.drop_verdict(v_due.verdict_id);
      end if;
    end;
  end loop;
  perform set_config('request.jwt.claims', v_claims, true);
end;
$$;

-- Takes back the caller's verdict on a job, with those that were given with it. Refusals: 404, 403, 409 when its time is over.
-- Definer: verdicts are written by functions only (docs/review.md).
create function operations.undo_review(p_job_id uuid)
returns json language plpgsql volatile security definer set search_path = '' as $$
declare
  v_job public.agent_jobs := private.lock_job(p_job_id);
begin
  return private.take_back(array[v_job.id]);
end;
$$;
grant execute on function operations.undo_review to authenticated;

-- Takes back the caller's last verdict on a story. Refusals: 404, 403, 409 when its time is over. Definer: verdicts are
-- written by functions only (docs/review.md).
create function operations.undo_story_review(p_story_id uuid)
returns json language plpgsql volatile security definer set search_path = '' as $$
begin
  perform private.require_write('story', p_story_id);
  return private.take_back(array(
    select j.id from public.agent_jobs j join public.tasks t on t.id = j.task_id where t.story_id = p_story_id));
end;
$$;
grant execute on function operations.undo_story_review to authenticated;

-- The caller's last verdict on one of these jobs, as if it had never been given.
create function private.take_back(p_job_ids uuid[])
returns json language plpgsql volatile set search_path = '' as $$
declare
  v_verdict_id uuid;
begin
  perform private.require_session('Only the person who gave a verdict takes it back, signed in.');
  select v.verdict_id into v_verdict_id from public.pending_verdicts v
  where v.job_id = any (p_job_ids) and v.user_id = auth.uid() and v.undo_until > private.now()
  order by v.given_at desc, v.verdict_id limit 1;
  if v_verdict_id is null then
    perform private.refuse(409, 'You have no verdict here that can still be undone. Reload the page to see what was decided.');
  end if;
  perform private.drop_verdict(v_verdict_id);
  return 'null'::json;
end;
$$;

-- Tasks just judged: no list asks for them again. Definer: lists run as their reader, who may not read verdicts.
create function private.just_judged()
returns uuid[] language plpgsql stable security definer set search_path = '' as $$
begin
  return array(
    select coalesce(e.task_id, j.task_id)
    from public.pending_verdicts v
    join public.agent_jobs j on j.id = v.job_id
    left join public.task_executions e on j.kind = 'SPRINT_IMPLEMENTATION' and e.sprint_run_id = j.sprint_run_id
    where coalesce(e.task_id, j.task_id) is not null);
end;
$$;
grant execute on function private.just_judged to authenticated;

-- What was just judged of a job, while it can be taken back: said instead of asking for a review. Definer: as above.
create function private.pending_verdict(p_job_id uuid)
returns text language plpgsql stable security definer set search_path = '' as $$
begin
  return (select v.verdict from public.pending_verdicts v where v.job_id = p_job_id);
end;
$$;
grant execute on function private.pending_verdict to authenticated;
