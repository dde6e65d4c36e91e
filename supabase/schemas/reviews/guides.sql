-- How an agent explains its change, kept for that commit. Written by functions only.
create table public.job_guides (
  job_id uuid not null references public.agent_jobs (id) on delete cascade,
  attempt integer not null,
  product_id uuid not null references public.products (id) on delete cascade,
  head_sha text not null constraint job_guides_head_sha_length check (char_length(head_sha) <= 64),
  chapters jsonb not null constraint job_guides_chapters_list check (jsonb_typeof(chapters) = 'array' and octet_length(chapters::text) <= 1000000),
  constraint job_guides_pkey primary key (job_id, attempt)
);
comment on table public.job_guides is 'Chapters in which agents describe their changes (docs/review.md).';
create index job_guides_product_id_idx on public.job_guides (product_id);
alter table public.job_guides enable row level security;

-- Keeps the guide that comes with a result; the last one of an attempt counts. Refusals: 404, 403, 409 for a lost
-- attempt, 422. Definer: guides are written by functions only (docs/review.md).
create function operations.save_job_guide(p_job_id uuid, p_attempt integer, p_head_sha text, p_chapters jsonb)
returns json language plpgsql volatile security definer set search_path = '' as $$
declare
  v_job public.agent_jobs := private.lock_job(p_job_id, true);
begin
  perform private.require_known_attempt(v_job, p_attempt);
  perform private.take_rate_limit('job_diff', p_job_id::text);
  insert into public.job_guides as g (job_id, attempt, product_id, head_sha, chapters)
  values (p_job_id, p_attempt, v_job.product_id, p_head_sha, p_chapters)
  on conflict (job_id, attempt) do update set head_sha = excluded.head_sha, chapters = excluded.chapters;
  return 'null'::json;
end;
$$;
grant execute on function operations.save_job_guide to authenticated;
comment on function operations.save_job_guide is 'scope work';

-- What a guide is made of besides the changes of an attempt: what its agent wrote about that commit, which of the files
-- are tests, what the proof says, and which criteria its stories have. Null without changes. Refusals: 404, 403. Definer: access is checked first (docs/review.md).
create function operations.get_job_guide(p_job_id uuid, p_attempt integer default null)
returns json language plpgsql stable security definer set search_path = '' as $$
declare
  v_job public.agent_jobs := private.require_job_reader(p_job_id);
begin
  return (
    select json_build_object('attempt', d.attempt, 'head_sha', d.head_sha, 'chapters', g.chapters,
      'tests', (
        select coalesce(json_agg(f ->> 'path'), '[]') from jsonb_array_elements(d.files) f where private.is_test_path(f ->> 'path')),
      'criteria', (
        select coalesce(json_agg(distinct c.id), '[]')
        from public.tasks t
        join public.stories s on s.id = t.story_id
        join public.products p on p.id = s.product_id
        cross join lateral private.criteria_of(s.acceptance_criteria, p.definition_of_done) c
        where t.id = v_job.task_id
          or t.id in (select e.task_id from public.task_executions e where e.sprint_run_id = v_job.sprint_run_id)),
      'proof', (
      select left(string_agg(concat_ws(' ', e.command, e.excerpt), ' ' order by e.seq), 100000) from public.evidence e where e.job_id = v_job.id))
    from public.job_diffs d
    left join public.job_guides g on g.job_id = d.job_id and g.attempt = d.attempt and g.head_sha = d.head_sha
    where d.job_id = p_job_id and (p_attempt is null or d.attempt = p_attempt)
    order by d.attempt desc limit 1);
end;
$$;
grant execute on function operations.get_job_guide to authenticated;
