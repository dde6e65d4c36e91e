-- Why: a worker hands in what it saw of pull requests; what follows is decided here, once, whoever saw it and however often. What is
-- older than what is known, and what lies on a branch that no job works on, changes nothing.
-- Refusals: 404, 403, 422, 429. Definer: pulls, jobs, questions and evidence are written by functions only.
create function operations.observe_pulls(p_product_id uuid, p_pulls jsonb)
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_seen jsonb;
  v_job public.agent_jobs;
  v_pull public.pulls;
  v_count integer := 0;
  v_again integer[] := '{}';
begin
  perform private.require_product_access(p_product_id);
  perform private.take_rate_limit('pulls_observed', auth.uid()::text);
  perform private.lock_product(p_product_id);
  perform private.require_product_write(p_product_id);
  for v_seen in select s from jsonb_array_elements(p_pulls) s loop
    v_job := private.job_of_branch(p_product_id, v_seen ->> 'branch', v_seen ->> 'head_sha');
    continue when v_job.id is null;
    v_pull := private.note_pull(p_product_id, v_seen);
    continue when v_pull.id is null;
    v_count := v_count + 1;
    if not private.follow_pull(v_pull, v_job, v_seen) then
      v_again := v_again || v_pull.number;
    end if;
  end loop;
  return json_build_object('observed', v_count, 'again', to_json(v_again));
end;
$$;

comment on function operations.observe_pulls is 'What workers saw of pull requests, and what follows (docs/forges.md).';
grant execute on function operations.observe_pulls to authenticated;

-- Why: of the jobs that share a branch the one whose commit is at its head has to do with what is seen there, else the last that ended.
create function private.job_of_branch(p_product_id uuid, p_branch text, p_head_sha text)
returns public.agent_jobs
language plpgsql
stable
set search_path = ''
as $$
declare
  v_job public.agent_jobs;
begin
  select j.* into v_job
  from public.agent_jobs j
  where j.product_id = p_product_id and j.branch = p_branch and j.kind <> 'PLAN_CHAT' and j.attempt > 0
  order by (j.head_sha is not distinct from p_head_sha) desc, j.finished_at desc nulls last, j.id
  limit 1;
  return v_job;
end;
$$;

comment on function private.job_of_branch is 'The job that a branch is at, or null.';

-- Why: two workers look at different moments, and the later one's answer may come first.
create function private.note_pull(p_product_id uuid, p_seen jsonb)
returns public.pulls
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_pull public.pulls;
begin
  -- A clock that runs ahead would make everybody else's word an old one.
  insert into public.pulls as p (product_id, number, url, branch, head_sha, state, draft, mergeable, ci, review, observed_at)
  values (p_product_id, (p_seen ->> 'number')::integer, p_seen ->> 'url', p_seen ->> 'branch', p_seen ->> 'head_sha', p_seen ->> 'state',
    coalesce((p_seen ->> 'draft')::boolean, false), (p_seen ->> 'mergeable')::boolean, coalesce(p_seen -> 'ci' ->> 'state', 'none'),
    coalesce(p_seen ->> 'review', 'none'), least((p_seen ->> 'observed_at')::timestamptz, private.now()))
  on conflict on constraint pulls_one_url do update
  set number = excluded.number, branch = excluded.branch, head_sha = excluded.head_sha, state = excluded.state, draft = excluded.draft,
      mergeable = excluded.mergeable, ci = excluded.ci, review = excluded.review, observed_at = excluded.observed_at
  where p.observed_at <= excluded.observed_at
  returning p.* into v_pull;
  return v_pull;
end;
$$;

comment on function private.note_pull is 'Keeps what was seen of a pull request; null when something newer is known.';
