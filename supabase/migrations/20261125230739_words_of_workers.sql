-- Why: only allowed workers are heard about the product's own repository; CI gets its chance before a landing; pull requests are opened late and follow their proof.
set local check_function_bodies = off;

DROP FUNCTION "private"."require_allowed_workers"(uuid);

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
    select coalesce(json_agg(json_build_object('branch', n.branch, 'title', n.title, 'digest', x.digest, 'stories', x.stories) order by n.updated_at desc), '[]')
    from (select * from newest order by updated_at desc limit 100) n join texts x on x.branch = n.branch));
end;
$function$;

CREATE OR REPLACE FUNCTION operations.next_issue_note(p_product_id uuid, p_worker text, p_project text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_due record;
  v_note public.issue_notes;
begin
  perform private.require_product_access(p_product_id);
  perform private.take_rate_limit('issue_notes', auth.uid()::text);
  perform private.lock_product(p_product_id);
  perform private.require_product_write(p_product_id);
  perform private.hear_worker(p_product_id);
  select d.* into v_due from private.due_issue_notes(p_product_id) d
  where position(lower('/' || p_project || '/') in lower(d.url)) > 0 and private.is_own_address(p_product_id, d.url)
  limit 1;
  if v_due.url is null then
    return json_build_object('note', null);
  end if;
  insert into public.issue_notes as n (product_id, url, deed, worker, lease_until)
  values (p_product_id, v_due.url, v_due.deed, left(p_worker, 200), private.now() + interval '5 minutes')
  on conflict on constraint issue_notes_once do update
  set worker = excluded.worker, lease = gen_random_uuid(), lease_until = excluded.lease_until
  returning n.* into v_note;
  return json_build_object('note', json_build_object('id', v_note.id, 'lease', v_note.lease, 'deed', v_note.deed, 'url', v_note.url,
    'number', substring(v_note.url from '(\d{1,9})/?$')::integer, 'text', private.done_words(v_due.story_id), 'mark', v_due.story_id));
end;
$function$;

CREATE OR REPLACE FUNCTION operations.next_landing(p_product_id uuid, p_worker text, p_pushes boolean DEFAULT false)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_landing public.landings;
  v_next record;
begin
  perform private.require_product_access(p_product_id);
  perform private.take_rate_limit('landings', auth.uid()::text);
  perform private.lock_product(p_product_id);
  perform private.require_product_write(p_product_id);
  perform private.hear_worker(p_product_id);
  if not p_pushes and (select p.pull_requests = 'none' from public.products p where p.id = p_product_id) then
    return json_build_object('landing', null);
  end if;
  select l.* into v_landing from public.landings l where l.product_id = p_product_id and l.finished_at is null;
  if v_landing.state = 'waiting_ci' and v_landing.updated_at < private.now() - interval '3 hours' then
    v_landing := private.end_landing(v_landing, 'refused', 'CI has said nothing about it for three hours.');
  end if;
  -- CI that has not begun by then is not waited for; the worker tests by itself, or says that nothing tests it.
  if v_landing.state = 'waiting_ci' and v_landing.updated_at < private.now() - interval '10 minutes' and exists (
    select from public.pulls p where p.product_id = p_product_id and p.branch = v_landing.branch and p.head_sha = v_landing.head_sha and p.ci = 'none')
  then
    update public.landings l set state = 'working', lease_until = private.now() where l.id = v_landing.id returning l.* into v_landing;
  end if;
  -- CI or a reviewer may have sent it back meanwhile.
  if v_landing.id is not null and v_landing.finished_at is null and not exists (
    select from public.agent_jobs j where j.id = v_landing.job_id and j.status = 'DONE' and j.head_sha = v_landing.ours_sha)
  then
    v_landing := private.end_landing(v_landing, 'refused', 'Its work has changed.');
  end if;
  if v_landing.id is null or v_landing.finished_at is not null then
    select q.* into v_next from private.landing_queue(p_product_id) q order by q.place limit 1;
    if v_next.job_id is null then
      return json_build_object('landing', null);
    end if;
    insert into public.landings (product_id, job_id, branch, ours_sha, worker, lease_until)
    values (p_product_id, v_next.job_id, v_next.branch, v_next.head_sha, left(p_worker, 200), private.now() + interval '5 minutes')
    returning * into v_landing;
  elsif v_landing.state = 'waiting_ci' or v_landing.lease_until > private.now() then
    return json_build_object('landing', null);
  else
    update public.landings l
    set worker = left(p_worker, 200), lease = gen_random_uuid(), lease_until = private.now() + interval '5 minutes'
    where l.id = v_landing.id
    returning l.* into v_landing;
  end if;
  return json_build_object('landing', private.landing_json(v_landing) || (
    select jsonb_build_object('lease', v_landing.lease, 'repo_url', coalesce(nullif(t.repo_url, ''), p.repo_url), 'may_reach', p.may_reach,
      'task_code', t.code,
      'pull', (
        select jsonb_build_object('number', x.number, 'url', x.url, 'head_sha', x.head_sha, 'ci', x.ci,
          'expects_ci', private.expects_ci(v_landing)) from public.pulls x
        where x.product_id = p.id and x.branch = v_landing.branch and x.state = 'open' order by x.number desc limit 1))
    from public.agent_jobs j
    join public.products p on p.id = j.product_id
    join public.tasks t on t.id = j.task_id
    where j.id = v_landing.job_id));
end;
$function$;

CREATE OR REPLACE FUNCTION operations.observe_issues(p_product_id uuid, p_label text, p_issues jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_issue jsonb;
  v_brought integer := 0;
  v_declined integer := 0;
begin
  perform private.require_product_access(p_product_id);
  perform private.take_rate_limit('issues_observed', auth.uid()::text);
  perform private.lock_product(p_product_id);
  perform private.require_product_write(p_product_id);
  perform private.hear_worker(p_product_id,
    (select jsonb_agg(jsonb_build_object('url', i -> 'url', 'state', i -> 'state') order by i ->> 'url') from jsonb_array_elements(p_issues) i),
    array(select i ->> 'url' from jsonb_array_elements(p_issues) i));
  if p_label = '' or not exists (select from public.products p where p.id = p_product_id and p.forge_issue_label = p_label) then
    return json_build_object('brought', 0, 'declined', 0);
  end if;
  for v_issue in select i from jsonb_array_elements(p_issues) i loop
    if v_issue ->> 'state' = 'closed' then
      v_declined := v_declined + private.decline_issue(p_product_id, v_issue ->> 'url');
    elsif private.known_item(p_product_id, v_issue ->> 'url') is null then
      perform private.bring_item(p_product_id, 'forge', left(regexp_replace(v_issue ->> 'title', '\s+', ' ', 'g'), 200),
        private.issue_words(v_issue), v_issue ->> 'url', v_issue ->> 'url');
      v_brought := v_brought + 1;
    end if;
  end loop;
  return json_build_object('brought', v_brought, 'declined', v_declined);
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
    continue when v_pull.id is null;
    v_count := v_count + 1;
    if not private.follow_pull(v_pull, v_job, v_seen) then
      v_again := v_again || v_pull.number;
    end if;
  end loop;
  return json_build_object('observed', v_count, 'again', to_json(v_again));
end;
$function$;

CREATE OR REPLACE FUNCTION operations.report_issue_note(p_issue_note_id uuid, p_lease uuid, p_state text, p_words text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_note public.issue_notes;
begin
  select n.* into v_note from public.issue_notes n where n.id = p_issue_note_id;
  perform private.require_product_access(v_note.product_id);
  perform private.take_rate_limit('issue_notes', auth.uid()::text);
  perform private.lock_product(v_note.product_id);
  perform private.require_product_write(v_note.product_id);
  perform private.hear_worker(v_note.product_id, case when p_state in ('written', 'refused') then
    jsonb_build_object('url', v_note.url, 'deed', v_note.deed, 'state', p_state) end);
  select n.* into v_note from public.issue_notes n where n.id = p_issue_note_id;
  if v_note.lease is distinct from p_lease or v_note.state <> 'working' then
    perform private.refuse(409, 'Another worker has taken this note over, or it has ended. Ask for the next one.');
  end if;
  if p_state = 'put_off' and v_note.tries >= 4 then
    p_state := 'refused';
  end if;
  update public.issue_notes n
  set state = case when p_state in ('written', 'refused') then p_state else 'working' end,
      words = left(p_words, 1000), tries = n.tries + (p_state = 'put_off')::integer,
      lease = case when p_state = 'put_off' then gen_random_uuid() else n.lease end,
      lease_until = private.now() + case p_state when 'put_off' then interval '1 minute' * 4 ^ n.tries else interval '5 minutes' end,
      finished_at = case when p_state in ('written', 'refused') then private.now() end
  where n.id = p_issue_note_id
  returning n.* into v_note;
  return json_build_object('id', v_note.id, 'state', v_note.state);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.report_landing(p_landing_id uuid, p_lease uuid, p_state text, p_head_sha text DEFAULT NULL::text, p_words text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_landing public.landings;
  v_words text := left(p_words, 10000);
begin
  select l.* into v_landing from public.landings l where l.id = p_landing_id;
  perform private.require_product_access(v_landing.product_id);
  perform private.take_rate_limit('landings', auth.uid()::text);
  perform private.lock_product(v_landing.product_id);
  perform private.require_product_write(v_landing.product_id);
  perform private.hear_worker(v_landing.product_id, case when p_state in ('landed', 'conflict', 'test_failed', 'refused') then
    jsonb_build_object('branch', v_landing.branch, 'state', p_state, 'head_sha', p_head_sha) end);
  select l.* into v_landing from public.landings l where l.id = p_landing_id;
  if v_landing.lease is distinct from p_lease or v_landing.state <> 'working' then
    perform private.refuse(409, 'Another worker has taken this landing over, or it has ended. Ask for the next one.');
  end if;
  if p_state = 'put_off' and v_landing.tries >= 4
    or p_state = 'untested' and v_landing.created_at < private.now() - interval '30 minutes'
  then
    p_state := 'refused';
  end if;
  case
    when p_state in ('working', 'put_off', 'untested', 'waiting_ci') then
      update public.landings l
      set state = case p_state when 'waiting_ci' then 'waiting_ci' else 'working' end,
          head_sha = coalesce(p_head_sha, l.head_sha), words = v_words, tries = l.tries + (p_state = 'put_off')::integer,
          lease_until = private.now() + case p_state when 'put_off' then interval '1 minute' when 'untested' then interval '10 seconds'
            else interval '5 minutes' end,
          lease = case when p_state in ('put_off', 'untested') then gen_random_uuid() else l.lease end
      where l.id = p_landing_id
      returning l.* into v_landing;
    else
      v_landing := private.end_landing(v_landing, p_state, v_words, p_head_sha);
  end case;
  return private.landing_json(v_landing);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.report_merged(p_job_id uuid, p_head_sha text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_job private.works := private.lock_work(p_job_id);
begin
  if not private.is_token() then
    perform private.require_product_owner(v_job.product_id);
  end if;
  perform private.hear_worker(v_job.product_id);
  if private.is_token() and p_head_sha is null then
    perform private.refuse(422, 'head_sha names the commit that you found on the main branch.');
  end if;
  perform private.take_rate_limit('job_merged', p_job_id::text);
  if v_job.finished_at is null or (v_job.kind = 'TASK_IMPLEMENTATION' and v_job.status <> 'DONE') then
    perform private.refuse(409, 'The work of this job is not done, so it cannot have been merged.');
  end if;
  if p_head_sha is not null and p_head_sha is distinct from v_job.head_sha then
    perform private.refuse(409, format('The work of this job is at %s now. Report that commit once it is on the main branch.',
      coalesce(left(v_job.head_sha, 8), 'no commit')));
  end if;
  if v_job.merged_at is null then
    v_job.merged_at := private.now();
    perform private.set_merged(array[p_job_id], v_job.merged_at);
    perform private.audit(auth.uid(), auth.uid(), 'job.merged', jsonb_build_object('product_id', v_job.product_id, 'job_id', v_job.id,
      'code', (select t.code from public.tasks t where t.id = v_job.task_id), 'head_sha', v_job.head_sha, 'by_token', private.is_token()));
    if not private.is_token() then
      perform private.remember_change('job', v_job.id, v_job.product_id, private.code_of('job', v_job.id),
        '{"merged_at": null}', jsonb_build_object('merged_at', v_job.merged_at));
    end if;
  end if;
  return jsonb_build_object('job_id', v_job.id, 'merged_at', v_job.merged_at) || private.released();
end;
$function$;

CREATE OR REPLACE FUNCTION private.expects_ci(p_landing public.landings)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return p_landing.created_at > private.now() - interval '10 minutes' and exists (
    select from (
      select p.id, p.ci, p.branch from public.pulls p where p.product_id = p_landing.product_id order by p.number desc limit 20
    ) p
    where p.ci <> 'none' or exists (
      select from public.pull_reactions r where r.pull_id = p.id and r.kind in ('ci_passed', 'ci_failed')));
end;
$function$;

CREATE OR REPLACE FUNCTION private.hear_worker(p_product_id uuid, p_said jsonb DEFAULT NULL::jsonb, p_addresses text[] DEFAULT '{}'::text[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_foreign text;
  v_detail jsonb := jsonb_build_object('product_id', p_product_id, 'said', p_said,
    'code', (select p.code from public.products p where p.id = p_product_id));
begin
  if not exists (
    select from public.product_members m
    where m.product_id = p_product_id and m.user_id = auth.uid() and (m.role = 'OWNER' or m.workers_allowed))
  then
    perform private.refuse(403, 'Only workers that are allowed in this product can report what happens in its repository and land its branches. Allow yours on the members page, or ask the owner.');
  end if;
  select a into v_foreign from unnest(p_addresses) a where not private.is_own_address(p_product_id, a) limit 1;
  if v_foreign is not null then
    perform private.refuse(403, format('%s is not in the repository of this product. If it should be, set the repository in the product''s settings to its address at the code host.', left(v_foreign, 300)));
  end if;
  if p_said is not null and not exists (
    select from public.audit_events e
    where e.user_id = auth.uid() and e.kind = 'worker.word' and e.created_at > private.now() - interval '1 hour' and e.detail = v_detail)
  then
    perform private.audit(auth.uid(), auth.uid(), 'worker.word', v_detail);
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.is_own_address(p_product_id uuid, p_url text)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_repository text := (
    select regexp_replace(rtrim(lower(p.repo_url), '/'), '\.git$', '') from public.products p where p.id = p_product_id);
  v_address text := regexp_replace(lower(p_url), '^https?://', '');
  v_host text := regexp_replace(v_address, '[/:].*$', '');
  v_ssh text[] := regexp_match(v_repository, '^(?:ssh://)?[^@/:]+@([^/:]+)(?::[0-9]+(?=/))?[:/]+(.+)$');
begin
  if v_address ~ '[\\[:space:][:cntrl:]]|(\.|%2e){2}' then
    return false;
  elsif v_repository ~ '^https?://' then
    return starts_with(v_address, regexp_replace(v_repository, '^https?://([^@/]*@)?', '') || '/');
  elsif v_ssh is not null then
    return position('/' || v_ssh[2] || '/' in v_address) > 0
      and (v_ssh[1] !~ '\.' or v_ssh[1] = v_host or v_ssh[1] like '%.' || v_host);
  end if;
  return true;
end;
$function$;

CREATE OR REPLACE FUNCTION private.new_faults(p_pull public.pulls, p_seen jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select coalesce(jsonb_agg(f.fault order by f.place), '[]')
    from (
      select 1 as place, jsonb_build_object('kind', 'ci_failed', 'id', '', 'text', private.ci_words(p_seen -> 'ci')) as fault
      where p_pull.ci = 'failed'
      union all
      select 2, jsonb_build_object('kind', 'conflict', 'id', '', 'text',
        'The pull request does not merge with the main branch. Where it still does not, the merge is begun in your folder with both versions: resolve the conflicts.')
      where p_pull.mergeable is false
      union all
      select 3, jsonb_build_object('kind', r ->> 'kind', 'id', r ->> 'id', 'text', private.comment_words(r))
      from jsonb_array_elements(coalesce(p_seen -> 'comments', '[]')) r
      where (r ->> 'trusted')::boolean and not (r ->> 'edited')::boolean
    ) f
    where not exists (
      select from public.pull_reactions k
      where k.pull_id = p_pull.id and k.kind = f.fault ->> 'kind' and k.external_id = f.fault ->> 'id'
        and (k.head_sha = p_pull.head_sha or k.external_id <> '')));
end;
$function$;

CREATE OR REPLACE FUNCTION private.pull_digest(p_story_id uuid)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (select s.title || s.description from public.stories s where s.id = p_story_id)
    || (select coalesce(string_agg(concat_ws(' ', c.text, c.state, c.grade), E'\n' order by c.place), '') from private.story_proof(p_story_id) c);
end;
$function$;

CREATE OR REPLACE FUNCTION private.pull_reason(p_job public.agent_jobs, p_pull public.pulls)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_link jsonb := case when p_pull.id is not null then jsonb_build_object('number', p_pull.number, 'url', p_pull.url) else '{}'::jsonb end;
  v_landing text;
begin
  if p_pull.ci in ('pending', 'failed') then
    return v_link || jsonb_build_object('code', 'ci', 'message', format('CI of pull request #%s %s.', p_pull.number,
      case p_pull.ci when 'pending' then 'has not finished' else 'failed' end));
  elsif p_pull.review = 'changes_requested' then
    return v_link || jsonb_build_object('code', 'review_outside',
      'message', format('Changes were requested in pull request #%s.', p_pull.number));
  end if;
  v_landing := case when p_job.merged_at is null then private.landing_words(p_job.product_id, p_job.branch) end;
  if v_landing is not null then
    return v_link || jsonb_build_object('code', 'merge', 'message', v_landing);
  elsif p_pull.id is not null then
    return v_link || jsonb_build_object('code', 'merge', 'message', format('Pull request #%s is waiting to be merged%s.', p_pull.number,
      case when p_pull.draft then '; it is still a draft until every criterion is proven' else '' end));
  elsif private.wants_pull(p_job) and (select p.pull_requests <> 'none' from public.products p where p.id = p_job.product_id) then
    return jsonb_build_object('code', 'merge', 'message', 'It has no pull request yet: a worker with --pr opens it, and tries again where the code host refused.');
  end if;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.pull_said(p_seen jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return jsonb_build_object('url', p_seen -> 'url', 'head_sha', p_seen -> 'head_sha', 'state', p_seen -> 'state', 'ci', p_seen -> 'ci' -> 'state',
    'review', p_seen -> 'review', 'mergeable', p_seen -> 'mergeable', 'comments', (
      select count(*) from jsonb_array_elements(coalesce(p_seen -> 'comments', '[]')) c where (c ->> 'trusted')::boolean));
end;
$function$;

CREATE OR REPLACE FUNCTION private.pull_title(p_job public.agent_jobs)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select case
      when coalesce(r.pr_strategy, p.pr_strategy) = 'STORY' and s.id is not null then s.code || ': ' || s.title
      when r.id is null then t.code || ': ' || t.title
      when n.id is null then 'Run of ' || private.run_subject(r)
      else n.code || ': ' || n.sprint_goal end
    from public.products p
    left join public.sprint_runs r on r.id = p_job.sprint_run_id
    left join public.sprints n on n.id = r.sprint_id
    left join public.tasks t on t.id = p_job.task_id
    left join public.stories s on s.id = t.story_id
    where p.id = p_job.product_id);
end;
$function$;

CREATE OR REPLACE FUNCTION private.return_for_pull(p_pull public.pulls, p_job public.agent_jobs, p_faults jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_fault jsonb;
  v_asks boolean;
  v_words text;
begin
  if p_faults = '[]' then
    return;
  end if;
  select string_agg(f ->> 'text', E'\n\n') into v_words from jsonb_array_elements(p_faults) f;
  v_asks := exists (
    select from public.pull_reactions k
    join public.agent_jobs j on j.id = k.job_id
    where j.task_id = p_job.task_id and k.decision = 'returned' and k.kind in (select f ->> 'kind' from jsonb_array_elements(p_faults) f)
    group by k.kind having count(distinct k.head_sha) >= 2);
  for v_fault in select f from jsonb_array_elements(p_faults) f loop
    perform private.is_first(p_pull, v_fault ->> 'kind', v_fault ->> 'id', p_job.id, case when v_asks then 'asked' else 'returned' end);
    if v_fault ->> 'kind' = 'conflict' and p_job.sprint_run_id is not null then
      -- The worker begins the merge; what the main branch is at then, and which files, it sees in git.
      perform private.note_conflict(p_job, null, jsonb_build_object('kind', 'base', 'ours_sha', p_pull.head_sha, 'theirs_sha', p_pull.head_sha,
        'files', '[]'::jsonb), 'noted');
    end if;
  end loop;

  perform private.return_work(p_job, v_words, format('Pull request #%s', p_pull.number), case when v_asks then format(
    'Pull request #%s has sent this task back twice, and it still is not right (%s). How should it continue?', p_pull.number,
    (select string_agg(distinct replace(f ->> 'kind', '_', ' '), ', ') from jsonb_array_elements(p_faults) f)) end);
end;
$function$;

CREATE OR REPLACE FUNCTION private.wants_pull(p_job public.agent_jobs)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return p_job.branch is not null and p_job.head_sha is not null and p_job.merged_at is null and p_job.kind <> 'PLAN_CHAT'
    and (p_job.status = 'DONE' or p_job.status = 'QUEUED' and p_job.phase = 'review')
    and (exists (
      select from public.pulls p where p.product_id = p_job.product_id and p.branch = p_job.branch and p.state = 'open')
    or coalesce(p_job.finished_at, p_job.updated_at) > private.now() - interval '7 days' and not exists (
      select from public.pulls p where p.product_id = p_job.product_id and p.branch = p_job.branch));
end;
$function$;

COMMENT ON FUNCTION "operations"."list_pull_texts"(uuid) IS 'What pull requests of done work say (docs/forges.md).';

COMMENT ON FUNCTION "private"."expects_ci"(public.landings) IS 'Whether CI of a landing may still begin (docs/forges.md).';

COMMENT ON FUNCTION "private"."hear_worker"(uuid, jsonb, text[]) IS 'PT403 unless a worker''s word about the code host counts in a product (docs/forges.md).';

COMMENT ON FUNCTION "private"."is_own_address"(uuid, text) IS 'Whether an address is in the repository of a product at its code host.';

COMMENT ON FUNCTION "private"."pull_digest"(uuid) IS 'What the part of a story in a pull request depends on.';

COMMENT ON FUNCTION "private"."pull_said"(jsonb) IS 'What the audit trail keeps of an observed pull request.';

COMMENT ON FUNCTION "private"."pull_title"(public.agent_jobs) IS 'The title of a pull request: its sprint''s, or its story''s.';

COMMENT ON FUNCTION "private"."wants_pull"(public.agent_jobs) IS 'Whether work that is done has an open pull request, or should have one.';

REVOKE ALL ON FUNCTION "operations"."list_pull_texts"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."list_pull_texts"(uuid) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."expects_ci"(public.landings) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."expects_ci"(public.landings) TO "postgres";

REVOKE ALL ON FUNCTION "private"."hear_worker"(uuid, jsonb, text[]) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."hear_worker"(uuid, jsonb, text[]) TO "postgres";

REVOKE ALL ON FUNCTION "private"."is_own_address"(uuid, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."is_own_address"(uuid, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."pull_digest"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."pull_digest"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."pull_said"(jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."pull_said"(jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."pull_title"(public.agent_jobs) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."pull_title"(public.agent_jobs) TO "postgres";

REVOKE ALL ON FUNCTION "private"."wants_pull"(public.agent_jobs) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."wants_pull"(public.agent_jobs) TO "postgres";
