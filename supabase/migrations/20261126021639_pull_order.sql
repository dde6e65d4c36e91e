-- Why: a merged pull request stays merged and gets no second one, and an overruled look at one is repeated.
set local check_function_bodies = off;

CREATE OR REPLACE FUNCTION operations.list_pull_texts(p_product_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_product public.products;
begin
  perform private.require_product_access(p_product_id);
  select p.* into v_product from public.products p where p.id = p_product_id;
  return json_build_object('draft', v_product.pull_requests = 'draft', 'branches', (
    with jobs as (
      select j.* from public.agent_jobs j
      where j.product_id = p_product_id and v_product.pull_requests <> 'none' and v_product.archived_at is null
        and (j.updated_at > private.now() - interval '7 days' or exists (
          select from public.pulls p where p.product_id = j.product_id and p.branch = j.branch and p.state = 'open'))
        and private.wants_pull(j) and not exists (
          select from public.tasks t where t.id = j.task_id and t.repo_url <> v_product.repo_url)
    ), stories as (
      select distinct j.branch, t.story_id from jobs j join public.tasks t on t.id = any (private.tasks_of_job(j))
    ), texts as (
      select b.branch, md5(string_agg(private.pull_digest(b.story_id), '' order by b.story_id)) as digest,
        jsonb_agg(jsonb_build_object('id', s.id, 'code', s.code, 'title', s.title, 'description', s.description) order by s.code) as stories
      from stories b join public.stories s on s.id = b.story_id
      group by b.branch
    ), newest as (
      select distinct on (j.branch) j.branch, j.updated_at, private.pull_title(j) as title from jobs j order by j.branch, j.updated_at desc, j.id
    )
    select coalesce(json_agg(json_build_object('branch', n.branch, 'title', n.title, 'digest', x.digest, 'stories', x.stories,
      'url', (select min(p.url) from public.pulls p where p.product_id = p_product_id and p.branch = n.branch and p.state = 'open')) order by n.updated_at desc), '[]')
    from (select * from newest order by updated_at desc limit 100) n join texts x on x.branch = n.branch));
end;
$function$;

CREATE OR REPLACE FUNCTION operations.observe_pulls(p_product_id uuid, p_pulls jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
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
  perform private.hear_worker(p_product_id,
    (select jsonb_agg(private.pull_said(s) order by s ->> 'url') from jsonb_array_elements(p_pulls) s),
    array(select s ->> 'url' from jsonb_array_elements(p_pulls) s));
  for v_seen in select s from jsonb_array_elements(p_pulls) s loop
    v_job := private.job_of_branch(p_product_id, v_seen ->> 'branch', v_seen ->> 'head_sha');
    continue when v_job.id is null;
    v_pull := private.note_pull(p_product_id, v_seen);
    v_count := v_count + (v_pull.id is not null)::integer;
    if v_pull.id is null or not private.follow_pull(v_pull, v_job, v_seen) then
      v_again := v_again || (v_seen ->> 'number')::integer;
    end if;
  end loop;
  return json_build_object('observed', v_count, 'again', to_json(v_again));
end;
$function$;

CREATE OR REPLACE FUNCTION private.note_pull(p_product_id uuid, p_seen jsonb)
 RETURNS public.pulls
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
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
  where p.state <> 'merged' and (excluded.state = 'merged' or p.observed_at <= excluded.observed_at)
  returning p.* into v_pull;
  return v_pull;
end;
$function$;
