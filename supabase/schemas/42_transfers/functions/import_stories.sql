-- Why: the second step of an import, called for each portion: stories with their tasks, logs, proof and reviews, in a
-- few statements for any number of rows (docs/export-format.md). Each story names its PBI by code. Service only.
create function operations.import_stories(p_product_id uuid, p_owner_id uuid, p_stories jsonb)
returns json
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_stories jsonb;
  v_tasks jsonb;
begin
  perform private.lock_product(p_product_id);

  select jsonb_agg(e.story || jsonb_build_object('id', gen_random_uuid()) order by e.place)
  into v_stories
  from jsonb_array_elements(p_stories) with ordinality e (story, place);

  insert into public.stories
    (id, product_id, pbi_id, code, title, description, acceptance_criteria, priority, sprint_id, assignee_id, label_ids, in_triage, created_at)
  select (e.story ->> 'id')::uuid, p_product_id, b.id, e.story ->> 'code', e.story ->> 'title',
    e.story ->> 'description', e.story ->> 'acceptance_criteria', (e.story ->> 'priority')::integer, s.id, m.user_id,
    private.label_ids_named(p_product_id, e.story -> 'labels'), e.story ->> 'status' is not distinct from 'TRIAGE',
    coalesce((e.story ->> 'created_at')::timestamptz, private.now())
  from jsonb_array_elements(v_stories) with ordinality e (story, place)
  join public.pbis b on b.product_id = p_product_id and b.code = e.story ->> 'pbi'
  left join public.sprints s on s.product_id = p_product_id and s.code = e.story ->> 'sprint'
  left join public.users u on lower(u.username) = lower(e.story ->> 'assignee')
  left join public.product_members m on m.product_id = p_product_id and m.user_id = u.id and m.role <> 'VIEWER'
  order by e.place;

  select jsonb_agg(
    t.task || jsonb_build_object('id', gen_random_uuid(), 'story_id', e.story -> 'id') order by e.place, t.place)
  into v_tasks
  from jsonb_array_elements(v_stories) with ordinality e (story, place)
  cross join lateral jsonb_array_elements(e.story -> 'tasks') with ordinality t (task, place);

  insert into public.tasks
    (id, product_id, story_id, code, title, description, implementation_plan, priority, status, repo_url, verify_only,
     verify_required, requires_opus, estimated_minutes, label_ids, created_at)
  select (e.task ->> 'id')::uuid, p_product_id, (e.task ->> 'story_id')::uuid, e.task ->> 'code', e.task ->> 'title',
    e.task ->> 'description', e.task ->> 'implementation_plan', (e.task ->> 'priority')::integer,
    (e.task ->> 'status')::public.task_status, e.task ->> 'repo_url', (e.task ->> 'verify_only')::boolean,
    (e.task ->> 'verify_required')::public.verify_required, (e.task ->> 'requires_opus')::boolean,
    (e.task ->> 'estimated_minutes')::integer, private.label_ids_named(p_product_id, e.task -> 'labels'),
    coalesce((e.task ->> 'created_at')::timestamptz, private.now())
  from jsonb_array_elements(v_tasks) with ordinality e (task, place)
  order by e.place;

  insert into public.story_logs
    (story_id, product_id, type, content, status, commit_hash, commit_message, metadata, user_id, created_at)
  select (e.story ->> 'id')::uuid, p_product_id, (l ->> 'type')::public.story_log_type, l ->> 'content',
    (l ->> 'status')::public.story_log_status, l ->> 'commit_hash', l ->> 'commit_message',
    nullif(l -> 'metadata', 'null'), coalesce(u.id, p_owner_id),
    coalesce((l ->> 'created_at')::timestamptz, private.now())
  from jsonb_array_elements(v_stories) e (story)
  cross join lateral jsonb_array_elements(e.story -> 'log') l
  left join public.users u on lower(u.username) = lower(l ->> 'username');

  perform private.import_proof(p_product_id, v_stories);
  perform private.import_reviews(p_product_id, v_tasks);
  perform private.import_comments(p_product_id, 'story', v_stories);
  perform private.import_comments(p_product_id, 'task', v_tasks);

  return json_build_object(
    'story_codes', (
      select coalesce(json_agg(s.code order by e.place), '[]')
      from jsonb_array_elements(v_stories) with ordinality e (story, place)
      join public.stories s on s.id = (e.story ->> 'id')::uuid),
    'task_codes', (
      select coalesce(json_agg(t.code order by e.place), '[]')
      from jsonb_array_elements(v_tasks) with ordinality e (task, place)
      join public.tasks t on t.id = (e.task ->> 'id')::uuid));
end;
$$;

comment on function operations.import_stories is
  'A portion of the stories of an import, with tasks and logs (docs/export-format.md). Service only.';
grant execute on function operations.import_stories to service_role;

-- Why: imports the proof of a portion of stories. Criteria are matched by the hash of their text; observers are kept as
-- names. Called by import_stories with the stories and their new ids.
create function private.import_proof(p_product_id uuid, p_stories jsonb)
returns void
language plpgsql
volatile
set search_path = ''
as $$
begin
  insert into public.story_heads (story_id, head_sha, attempt)
  select (s ->> 'id')::uuid, s ->> 'head_sha', 0
  from jsonb_array_elements(p_stories) s
  where s ->> 'head_sha' is not null;

  insert into public.evidence (product_id, story_id, criterion, criterion_text, verdict, grade, kind, command, exit_code, base_exit_code,
    guards, passed_before, excerpt, url, file_id, base_file_id, head_sha, observed_by, voided_by, created_at)
  select p_product_id, (e.story ->> 'id')::uuid, private.criterion_id(l.line ->> 'criterion'), l.line ->> 'criterion',
    (l.line ->> 'verdict')::public.evidence_verdict, (l.line ->> 'grade')::public.evidence_grade,
    (l.line ->> 'kind')::public.evidence_kind, l.line ->> 'command', (l.line ->> 'exit_code')::integer,
    (l.line ->> 'base_exit_code')::integer, coalesce((l.line ->> 'guards')::boolean, false),
    coalesce((l.line ->> 'passed_before')::boolean, false), l.line ->> 'excerpt', l.line ->> 'url',
    private.imported_file(p_product_id, l.line ->> 'file'), private.imported_file(p_product_id, l.line ->> 'base_file'), l.line ->> 'head_sha', l.line ->> 'observed_by', l.line ->> 'voided_by',
    coalesce((l.line ->> 'created_at')::timestamptz, private.now())
  from jsonb_array_elements(p_stories) with ordinality e (story, place)
  cross join lateral jsonb_array_elements(e.story -> 'evidence') with ordinality l (line, place)
  order by e.place, l.place;

  insert into public.waivers (product_id, story_id, criterion, criterion_text, reason, waived_by, created_at)
  select p_product_id, (s ->> 'id')::uuid, private.criterion_id(w ->> 'criterion'), w ->> 'criterion', w ->> 'reason',
    w ->> 'waived_by', coalesce((w ->> 'created_at')::timestamptz, private.now())
  from jsonb_array_elements(p_stories) s
  cross join lateral jsonb_array_elements(s -> 'waivers') w
  on conflict (story_id, criterion) do nothing;
end;
$$;

comment on function private.import_proof is 'Evidence and waivers of an import (docs/export-format.md).';

grant execute on function private.import_proof to service_role;

-- The file that evidence of an import shows; null where the import came without its files.
create function private.imported_file(p_product_id uuid, p_file_id text)
returns uuid
language plpgsql
stable
set search_path = ''
as $$
begin
  return (select f.id from public.files f where f.id = p_file_id::uuid and f.product_id = p_product_id);
end;
$$;

comment on function private.imported_file is 'A file of this import by its id, or null.';

grant execute on function private.imported_file to service_role;

-- Why: imports the reviews of a portion of tasks; the next attempt gets the requests of the newest one. There are no
-- imported jobs, so a review belongs to its task; authors are kept as names. Called by import_stories with the tasks
-- and their new ids.
create function private.import_reviews(p_product_id uuid, p_tasks jsonb)
returns void
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_reviews jsonb;
begin
  select jsonb_agg(r.review || jsonb_build_object('id', gen_random_uuid(), 'task_id', t -> 'id'))
  into v_reviews
  from jsonb_array_elements(p_tasks) t
  cross join lateral jsonb_array_elements(t -> 'reviews') r (review);

  insert into public.job_reviews (id, product_id, task_id, attempt, verdict, summary, author, created_at)
  select (r ->> 'id')::uuid, p_product_id, (r ->> 'task_id')::uuid, (r ->> 'attempt')::integer, r ->> 'verdict', r ->> 'summary',
    r ->> 'author', coalesce((r ->> 'created_at')::timestamptz, private.now())
  from jsonb_array_elements(v_reviews) r;

  insert into public.job_comments
    (product_id, review_id, attempt, path, line, side, line_text, body, author, created_at)
  select p_product_id, (r ->> 'id')::uuid, (c ->> 'attempt')::integer, c ->> 'path', (c ->> 'line')::integer, c ->> 'side',
    c ->> 'line_text', c ->> 'body', c ->> 'author', coalesce((c ->> 'created_at')::timestamptz, private.now())
  from jsonb_array_elements(v_reviews) r
  cross join lateral jsonb_array_elements(r -> 'comments') c;
end;
$$;

comment on function private.import_reviews is 'Reviews of an import (docs/export-format.md).';

grant execute on function private.import_reviews to service_role;
