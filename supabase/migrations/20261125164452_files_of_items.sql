-- Why: stories and tasks have files of their own, which can be deleted, are exported beside the file, and show what it looked like before the work.
set local check_function_bodies = off;

DROP FUNCTION "operations"."read_file"(uuid);

ALTER TABLE "public"."evidence" ADD COLUMN "base_file_id" uuid;

CREATE OR REPLACE FUNCTION operations.add_comment(p_kind text, p_id uuid, p_body text, p_send_to_agent boolean DEFAULT false)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_kind text := private.require_comment_place(p_kind);
  v_product_id uuid := private.require_commenter(v_kind, p_id);
  v_comment public.comments;
begin
  perform private.take_rate_limit('comment', auth.uid()::text);
  perform private.require_comment_body(p_body);
  if (select count(*) from public.comments c
      where c.pbi_id = p_id or c.story_id = p_id or c.task_id = p_id) >= 1000 then
    perform private.refuse(409, 'There are 1,000 comments here, which is the limit. Delete some, or write the rest in the description.');
  end if;
  insert into public.comments (product_id, pbi_id, story_id, task_id, body, author_id, author)
  values (v_product_id, case v_kind when 'pbi' then p_id end, case v_kind when 'story' then p_id end,
    case v_kind when 'task' then p_id end, p_body, auth.uid(), coalesce(private.username(auth.uid()), 'somebody'))
  returning * into v_comment;
  perform private.mention_members(v_comment);
  perform private.adopt_files(v_comment);
  if p_send_to_agent then
    perform private.send_to_agent(v_comment);
  end if;
  return private.item_comment_json(v_comment);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.add_file(p_product_id uuid, p_name text, p_type text, p_content text, p_story_id uuid DEFAULT NULL::uuid, p_task_id uuid DEFAULT NULL::uuid, p_comment_id uuid DEFAULT NULL::uuid, p_job_id uuid DEFAULT NULL::uuid)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_content bytea;
  v_file public.files;
begin
  perform private.require_product_access(p_product_id);
  perform private.take_rate_limit('file', auth.uid()::text);
  perform private.share_product(p_product_id);
  perform private.require_product_write(p_product_id, num_nonnulls(p_story_id, p_task_id, p_job_id) = 0);
  perform private.require_file_place(p_product_id, p_story_id, p_task_id, p_comment_id, p_job_id);
  v_content := decode(p_content, 'base64');
  perform private.lock_part('files', p_product_id);
  if (select coalesce(sum(f.size), 0) from public.files f where f.product_id = p_product_id) + octet_length(v_content) > 1073741824 then
    perform private.refuse(413, 'The files of this product take 1 GB, which is the limit. Delete some on its page Files first.');
  end if;
  insert into public.files (product_id, story_id, task_id, comment_id, job_id, name, type, size)
  values (p_product_id, p_story_id, p_task_id, p_comment_id, p_job_id, p_name, p_type, octet_length(v_content))
  returning * into v_file;
  insert into public.file_contents (file_id, content) values (v_file.id, v_content);
  return private.file_json(v_file.id);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.delete_file(p_file_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_file public.files;
begin
  select f.* into v_file from public.files f
  where f.id = p_file_id and f.product_id in (select private.accessible_product_ids());
  if v_file.id is null then
    perform private.refuse(404, 'No such file.');
  end if;
  perform private.take_rate_limit('file', auth.uid()::text);
  perform private.share_product(v_file.product_id);
  perform private.require_product_write(v_file.product_id, true);
  if not exists (select from public.products p where p.id = v_file.product_id and p.owner_id = auth.uid()) then
    if v_file.created_by is distinct from auth.uid() then
      perform private.refuse(403, 'Only who added it or the owner of the product can delete a file. Ask one of them.');
    end if;
    if private.is_evidence(p_file_id) then
      perform private.refuse(403, 'This file is evidence. Only the owner of the product can delete it.');
    end if;
  end if;
  delete from public.files f where f.id = p_file_id;
  perform private.audit(coalesce(v_file.created_by, auth.uid()), auth.uid(), 'file.deleted',
    jsonb_build_object('product_id', v_file.product_id, 'file_id', p_file_id, 'name', v_file.name));
  return json_build_object('id', p_file_id, 'deleted', true);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.edit_comment(p_kind text, p_id uuid, p_comment_id uuid, p_body text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_comment public.comments := private.lock_comment(p_kind, p_id, p_comment_id);
begin
  if v_comment.author_id is distinct from auth.uid() then
    perform private.refuse(403, 'Only its author can edit a comment. Write one of your own.');
  end if;
  perform private.require_comment_body(p_body);
  if p_body = v_comment.body then
    return private.item_comment_json(v_comment);
  end if;
  update public.comments c set body = p_body, edited_at = private.now() where c.id = p_comment_id returning c.* into v_comment;
  perform private.mention_members(v_comment);
  perform private.adopt_files(v_comment);
  perform private.audit(auth.uid(), auth.uid(), 'comment.edited', jsonb_build_object('product_id', v_comment.product_id,
    'comment_id', p_comment_id, 'code', private.code_of(p_kind, p_id)));
  return private.item_comment_json(v_comment);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.export_file(p_file_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select json_build_object('content', encode(c.content, 'base64'))
    from public.file_contents c where c.file_id = p_file_id);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.export_product(p_product_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select json_build_object(
      'format', 'backloom-export', 'version', 1, 'exported_at', private.export_time(private.now()),
      'product', json_build_object(
        'code', p.code, 'name', p.name, 'description', p.description, 'repo_url', p.repo_url,
        'definition_of_done', p.definition_of_done, 'auto_pr', p.auto_pr, 'pull_requests', p.pull_requests, 'landing', p.landing, 'pr_strategy', p.pr_strategy,
        'done_requires', p.done_requires, 'dependency_release', p.dependency_release, 'plan_first', p.plan_first, 'agent_items', p.agent_items,
        'requires_sandbox', p.requires_sandbox, 'may_reach', p.may_reach, 'forge_issue_label', p.forge_issue_label,
        'archived_at', private.export_time(p.archived_at), 'created_at', private.export_time(p.created_at)),
      'members', (
        select coalesce(json_agg(json_build_object('username', u.username, 'role', m.role) order by u.username), '[]')
        from public.product_members m
        join public.users u on u.id = m.user_id
        where m.product_id = p.id),
      'sprints', (
        select coalesce(json_agg(json_build_object(
          'code', s.code, 'sprint_goal', s.sprint_goal, 'status', s.status,
          'start_date', s.start_date, 'end_date', s.end_date,
          'started_at', private.export_time(s.started_at), 'completed_at', private.export_time(s.completed_at),
          'created_at', private.export_time(s.created_at)
        ) order by private.sort_order_from_code(s.code)), '[]')
        from public.sprints s
        where s.product_id = p.id),
      'pbis', (
        select coalesce(json_agg(json_build_object(
          'code', b.code, 'title', b.title, 'description', b.description, 'priority', b.priority,
          'sort_order', b.sort_order, 'status', b.status, 'pr_url', b.pr_url,
          'pr_merged_at', private.export_time(b.pr_merged_at), 'created_at', private.export_time(b.created_at),
          'stories', private.export_stories(b.id), 'comments', private.export_comments(b.id)
        ) order by b.priority, b.sort_order, b.created_at, b.code), '[]')
        from public.pbis b
        where b.product_id = p.id),
      'labels', (
        select coalesce(json_agg(json_build_object('name', l.name, 'color', l.color) order by lower(l.name)), '[]')
        from public.labels l
        where l.product_id = p.id),
      'ideas', private.export_ideas(p.id),
      'views', (
        select coalesce(json_agg(json_build_object('page', v.page, 'name', v.name, 'look', v.look) order by v.page, lower(v.name)), '[]')
        from public.saved_views v
        where v.product_id = p.id and v.user_id is null),
      'files', private.export_files(p.id),
      'counters', (
        select coalesce(json_object_agg(c.kind, c.last_number order by c.kind), '{}')
        from public.code_counters c
        where c.scope_id = p.id)
    )
    from public.products p
    where p.id = p_product_id
  );
end;
$function$;

CREATE OR REPLACE FUNCTION operations.get_story_page(p_story_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_story public.stories;
begin
  perform private.require_access('story', p_story_id);
  select s.* into v_story from public.stories s where s.id = p_story_id;

  return json_build_object(
    'story', private.story_json(p_story_id),
    'labels', private.labels_of(v_story.product_id),
    'assignee_name', private.username(v_story.assignee_id),
    'dependencies', operations.list_dependencies('story', p_story_id),
    'product', (
      select json_build_object('id', p.id, 'name', p.name, 'archived', p.archived_at is not null,
        'is_owner', p.owner_id = auth.uid())
      from public.products p where p.id = v_story.product_id),
    'pbi', (
      select json_build_object('id', b.id, 'code', b.code, 'title', b.title)
      from public.pbis b where b.id = v_story.pbi_id),
    'sprint', (
      select json_build_object('id', s.id, 'code', s.code, 'status', lower(s.status::text))
      from public.sprints s where s.id = v_story.sprint_id),
    'sprints', (
      select coalesce(json_agg(json_build_object('id', s.id, 'code', s.code, 'status', lower(s.status::text))
        order by s.created_at desc), '[]')
      from public.sprints s where s.product_id = v_story.product_id and s.status in ('PLANNED', 'ACTIVE')),
    'pbis', (
      select coalesce(json_agg(json_build_object('id', b.id, 'code', b.code, 'title', b.title)
        order by b.priority, b.sort_order), '[]')
      from public.pbis b where b.product_id = v_story.product_id),
    'members', (
      select coalesce(json_agg(json_build_object('id', m.user_id, 'username', private.username(m.user_id))), '[]')
      from public.product_members m where m.product_id = v_story.product_id and m.role <> 'VIEWER'),
    'tasks', (
      select coalesce(json_agg(private.with_labels(row_to_json(t), (select k.label_ids from public.tasks k where k.id = t.id)) order by t.sort_order, t.created_at, t.id), '[]')
      from (
        select x.*, (
          select json_build_object('job_id', j.id, 'additions', j.additions, 'deletions', j.deletions)
          from public.agent_jobs j
          where j.task_id = x.id and j.kind = 'TASK_IMPLEMENTATION' and j.additions is not null
          order by j.created_at desc limit 1
        ) as changes
        from private.task_shape x where x.story_id = p_story_id
      ) t),
    'begins_from', private.beginnings(array[p_story_id]),
    'fresh_starts', private.fresh_starts_of(p_story_id),
    'questions', (
      select coalesce(json_agg(private.question_json(q) order by q.created_at desc), '[]')
      from public.agent_questions q where q.story_id = p_story_id
        and (q.reader_id is null or q.reader_id = auth.uid())),
    'files', private.files_of(p_story_id),
    'logs', (
      select coalesce(json_agg(row_to_json(l) order by l.created_at desc, l.id), '[]')
      from (
        select * from private.story_log_shape l
        where l.story_id = p_story_id
        order by l.created_at desc
        limit 100
      ) l)
  );
end;
$function$;

CREATE OR REPLACE FUNCTION operations.get_task_page(p_task_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_task public.tasks;
begin
  perform private.require_access('task', p_task_id);
  select t.* into v_task from public.tasks t where t.id = p_task_id;

  return json_build_object(
    'task', private.task_json(p_task_id),
    'labels', private.labels_of(v_task.product_id),
    'repo_url_by', (select private.username(t.repo_url_by) from public.tasks t where t.id = p_task_id),
    'product', (
      select json_build_object('id', p.id, 'name', p.name, 'repo_url', p.repo_url, 'archived', p.archived_at is not null,
        'is_owner', p.owner_id = auth.uid())
      from public.products p where p.id = v_task.product_id),
    'story', (
      select json_build_object('id', s.id, 'code', s.code, 'title', s.title, 'sprint_id', s.sprint_id)
      from public.stories s where s.id = v_task.story_id),
    'stories', (
      select coalesce(json_agg(json_build_object('id', s.id, 'code', s.code, 'title', s.title) order by s.sort_order, s.created_at, s.id), '[]')
      from (
        select s.id, s.code, s.title, s.sort_order, s.created_at
        from public.stories s
        where s.product_id = v_task.product_id and (s.status in ('OPEN', 'IN_SPRINT') or s.id = v_task.story_id)
        order by s.sort_order, s.created_at, s.id
        limit 300
      ) s),
    'jobs', (
      select coalesce(json_agg(private.job_json(j) order by j.created_at desc), '[]')
      from public.agent_jobs j where j.task_id = p_task_id),
    'files', private.files_of(p_task_id),
    'imported_reviews', private.imported_reviews(p_task_id),
    'dependencies', operations.list_dependencies('task', p_task_id),
    'waits_for', (
      select coalesce(json_agg(b.code order by b.sort_order, b.code), '[]')
      from private.task_blockers b where b.task_id = p_task_id and not b.resolved),
    'questions', (
      select coalesce(json_agg(private.question_json(q) order by q.created_at desc), '[]')
      from public.agent_questions q where q.task_id = p_task_id
        and (q.reader_id is null or q.reader_id = auth.uid())),
    'history', (
      select coalesce(json_agg(row_to_json(c) order by c.changed_at desc, c.id desc), '[]')
      from (
        select c.id, lower(c.to_status::text) as to_status, c.changed_at
        from public.task_status_changes c
        where c.task_id = p_task_id and c.from_status is distinct from c.to_status
        order by c.changed_at desc, c.id desc
        limit 20
      ) c)
  );
end;
$function$;

CREATE OR REPLACE FUNCTION operations.import_file(p_product_id uuid, p_file jsonb, p_content text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_content bytea := decode(p_content, 'base64');
begin
  insert into public.files (id, product_id, name, type, size, created_by, created_at)
  values ((p_file ->> 'id')::uuid, p_product_id, p_file ->> 'name', p_file ->> 'type', octet_length(v_content), null,
    coalesce((p_file ->> 'created_at')::timestamptz, private.now()));
  insert into public.file_contents (file_id, content) values ((p_file ->> 'id')::uuid, v_content);
  return json_build_object('id', p_file ->> 'id');
end;
$function$;

CREATE OR REPLACE FUNCTION operations.list_files(p_product_id uuid, p_limit integer DEFAULT 100, p_cursor uuid DEFAULT NULL::uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_limit integer := least(greatest(coalesce(p_limit, 100), 1), 200);
  v_found public.files[];
begin
  perform private.require_product_access(p_product_id);
  v_found := array(
    select f
    from public.files f
    left join public.files b on b.id = p_cursor
    where f.product_id = p_product_id and (p_cursor is null or (f.created_at, f.id) < (b.created_at, b.id))
    order by f.created_at desc, f.id desc
    limit v_limit + 1);
  return json_build_object(
    'files', (
      select coalesce(json_agg(private.listed_file_json(f) order by f.created_at desc, f.id desc), '[]')
      from unnest(v_found[1:v_limit]) f),
    'used', (select coalesce(sum(f.size), 0) from public.files f where f.product_id = p_product_id),
    'next_cursor', case when cardinality(v_found) > v_limit then (v_found[v_limit]).id end);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.place_files(p_product_id uuid, p_files jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  update public.files f
  set story_id = s.id, task_id = t.id,
    comment_id = case when (e ->> 'of_comment')::boolean then (
      select c.id from public.comments c
      where c.product_id = p_product_id and strpos(c.body, '/api/files/' || f.id) > 0
      order by c.created_at, c.id limit 1) end
  from jsonb_array_elements(p_files) e
  left join public.stories s on s.product_id = p_product_id and s.code = e ->> 'story'
  left join public.tasks t on t.product_id = p_product_id and t.code = e ->> 'task'
  where f.id = (e ->> 'id')::uuid and f.product_id = p_product_id;
  return json_build_object('id', p_product_id);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.read_file(p_file_id uuid, p_with_content boolean DEFAULT true)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_file public.files;
begin
  select f.* into v_file from public.files f
  where f.id = p_file_id and f.product_id in (select private.accessible_product_ids());
  if v_file.id is null then
    perform private.refuse(404, 'No such file.');
  end if;
  return json_build_object('name', v_file.name, 'type', v_file.type,
    'content', (select encode(c.content, 'base64') from public.file_contents c where c.file_id = p_file_id and p_with_content));
end;
$function$;

CREATE OR REPLACE FUNCTION operations.taken_file_ids(p_ids jsonb)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (select coalesce(json_agg(f.id), '[]') from public.files f where f.id in (select i::uuid from jsonb_array_elements_text(p_ids) i));
end;
$function$;

CREATE OR REPLACE FUNCTION private.adopt_files(p_comment public.comments)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  update public.files f set comment_id = p_comment.id
  where f.product_id = p_comment.product_id and f.created_by = p_comment.author_id
    and num_nonnulls(f.story_id, f.task_id, f.comment_id, f.job_id) = 0
    and f.id in (
      select m[1]::uuid
      from regexp_matches(p_comment.body, '/api/files/([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})', 'g') m)
    and not private.is_evidence(f.id);
end;
$function$;

CREATE OR REPLACE FUNCTION private.evidence_json(p_evidence public.evidence, p_stale boolean)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return json_build_object('id', p_evidence.id, 'criterion', p_evidence.criterion, 'verdict', p_evidence.verdict,
    'grade', p_evidence.grade, 'kind', p_evidence.kind, 'command', p_evidence.command, 'exit_code', p_evidence.exit_code,
    'base_exit_code', p_evidence.base_exit_code, 'guards', p_evidence.guards, 'passed_before', p_evidence.passed_before,
    'excerpt', p_evidence.excerpt, 'url', p_evidence.url, 'file', private.file_json(p_evidence.file_id),
    'base_file', private.file_json(p_evidence.base_file_id), 'head_sha', p_evidence.head_sha, 'job_id', p_evidence.job_id,
    'attempt', p_evidence.attempt, 'observed_by', p_evidence.observed_by, 'stale', p_stale, 'voided_by', p_evidence.voided_by,
    'created_at', p_evidence.created_at);
end;
$function$;

CREATE OR REPLACE FUNCTION private.export_evidence(p_story_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select coalesce(json_agg(json_build_object(
      'criterion', e.criterion_text, 'verdict', e.verdict, 'grade', e.grade, 'kind', e.kind, 'command', e.command,
      'exit_code', e.exit_code, 'base_exit_code', e.base_exit_code, 'guards', e.guards, 'passed_before', e.passed_before,
      'excerpt', e.excerpt, 'url', e.url, 'file', e.file_id, 'base_file', e.base_file_id, 'head_sha', e.head_sha, 'observed_by', e.observed_by,
      'voided_by', e.voided_by,
      'created_at', private.export_time(e.created_at)) order by e.seq), '[]')
    from public.evidence e
    where e.story_id = p_story_id
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.export_files(p_product_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select coalesce(json_agg(json_build_object(
      'id', f.id, 'name', f.name, 'type', f.type, 'size', f.size,
      'story', (select s.code from public.stories s where s.id = f.story_id),
      'task', (select t.code from public.tasks t where t.id = f.task_id),
      'of_comment', f.comment_id is not null,
      'created_at', private.export_time(f.created_at)
    ) order by f.created_at, f.id), '[]')
    from public.files f
    where f.product_id = p_product_id
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.file_json(p_file_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select json_build_object('id', f.id, 'url', '/api/files/' || f.id, 'name', f.name, 'type', f.type, 'size', f.size)
    from public.files f where f.id = p_file_id);
end;
$function$;

CREATE OR REPLACE FUNCTION private.files_of(p_item_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select coalesce(json_agg(private.listed_file_json(f) order by f.created_at, f.id), '[]')
    from (
      select x.* from public.files x
      where (x.story_id = p_item_id or x.task_id = p_item_id) and x.comment_id is null
        and not private.is_evidence(x.id)
      order by x.created_at desc, x.id
      limit 200
    ) f);
end;
$function$;

CREATE OR REPLACE FUNCTION private.import_proof(p_product_id uuid, p_stories jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION private.imported_file(p_product_id uuid, p_file_id text)
 RETURNS uuid
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (select f.id from public.files f where f.id = p_file_id::uuid and f.product_id = p_product_id);
end;
$function$;

CREATE OR REPLACE FUNCTION private.insert_evidence(p_story_id uuid, p_line jsonb, p_grade public.evidence_grade, p_place integer, p_job public.agent_jobs, p_observer text)
 RETURNS public.evidence
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_text text := private.require_criterion(p_story_id, p_line ->> 'criterion', p_place);
  v_evidence public.evidence;
begin
  if octet_length(p_line ->> 'excerpt') > 8192 then
    perform private.refuse_evidence(p_place, 'excerpt', 'An excerpt has at most 8 KiB: send the end that matters.');
  end if;
  perform private.require_link('url', p_line ->> 'url');
  perform private.require_evidence_file(p_story_id, p_line, 'file', p_place);
  perform private.require_evidence_file(p_story_id, p_line, 'base_file', p_place);
  if (select count(*) from public.evidence e where e.story_id = p_story_id and e.criterion = p_line ->> 'criterion') >= 500 then
    perform private.refuse_evidence(p_place, 'criterion', 'This criterion has 500 pieces of evidence, which is the most that is kept.');
  end if;

  insert into public.evidence (product_id, story_id, criterion, criterion_text, verdict, grade, kind, command, exit_code, base_exit_code,
    guards, passed_before, excerpt, url, file_id, base_file_id, head_sha, job_id, attempt, worker_id, user_id, observed_by, voided_by)
  select s.product_id, s.id, p_line ->> 'criterion', v_text,
    coalesce(p_line ->> 'verdict', 'pass')::public.evidence_verdict, p_grade,
    case when p_grade = 'person' then 'person'
      else coalesce(p_line ->> 'kind', case when p_line ->> 'command' is null then 'file' else 'command' end) end::public.evidence_kind,
    left(p_line ->> 'command', 2000), (p_line ->> 'exit_code')::integer, (p_line ->> 'base_exit_code')::integer,
    coalesce((p_line ->> 'guards')::boolean, false), p_grade <> 'person' and private.passed_before(p_story_id, p_line),
    p_line ->> 'excerpt', p_line ->> 'url', (p_line ->> 'file')::uuid, (p_line ->> 'base_file')::uuid, c.head_sha, p_job.id, p_job.attempt, p_job.worker_id, auth.uid(), p_observer,
    case when p_grade <> 'person' and coalesce(p_line ->> 'verdict', 'pass') = 'pass' then (
      select r.author from public.job_reviews r
      where r.product_id = s.product_id and r.verdict = 'request_changes' and r.head_sha = c.head_sha
      order by r.created_at desc limit 1) end
  from public.stories s
  left join public.story_heads h on h.story_id = s.id
  cross join lateral (select coalesce(left(p_line ->> 'head_sha', 64), p_job.head_sha, h.head_sha) as head_sha) c
  where s.id = p_story_id
  returning * into v_evidence;
  return v_evidence;
end;
$function$;

CREATE OR REPLACE FUNCTION private.is_evidence(p_file_id uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return exists (select from public.evidence e where e.file_id = p_file_id or e.base_file_id = p_file_id);
end;
$function$;

CREATE OR REPLACE FUNCTION private.listed_file_json(p_file public.files)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return json_build_object('id', p_file.id, 'url', '/api/files/' || p_file.id, 'name', p_file.name, 'type', p_file.type, 'size', p_file.size,
    'created_at', p_file.created_at, 'created_by', p_file.created_by, 'author', private.username(p_file.created_by),
    'story_id', p_file.story_id, 'task_id', p_file.task_id, 'comment_id', p_file.comment_id, 'job_id', p_file.job_id,
    'evidence', private.is_evidence(p_file.id));
end;
$function$;

CREATE OR REPLACE FUNCTION private.require_evidence_file(p_story_id uuid, p_line jsonb, p_field text, p_place integer)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if p_line ->> p_field is not null and not exists (
    select from public.files f join public.stories s on s.product_id = f.product_id
    where s.id = p_story_id and f.id::text = p_line ->> p_field)
  then
    perform private.refuse_evidence(p_place, p_field, 'There is no such file in this product. Send it to POST /api/files first.');
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.require_file_place(p_product_id uuid, p_story_id uuid, p_task_id uuid, p_comment_id uuid, p_job_id uuid)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if p_story_id is not null and not exists (select from public.stories s where s.id = p_story_id and s.product_id = p_product_id)
    or p_task_id is not null and not exists (select from public.tasks t where t.id = p_task_id and t.product_id = p_product_id)
    or p_comment_id is not null and not exists (select from public.comments c where c.id = p_comment_id and c.product_id = p_product_id)
    or p_job_id is not null and not exists (select from public.agent_jobs j where j.id = p_job_id and j.product_id = p_product_id)
  then
    perform private.refuse(422, 'The story, task, comment or job is not in this product.');
  end if;
  if exists (select from public.comments c where c.id = p_comment_id and c.author_id is distinct from auth.uid()) then
    perform private.refuse(403, 'Only its author can add files to a comment. Write one of your own.');
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_files__emit()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_row public.files := coalesce(new, old);
begin
  perform private.emit('product:' || v_row.product_id, jsonb_build_object(
    'op', left(tg_op, 1), 'entity', 'file', 'id', v_row.id, 'product_id', v_row.product_id,
    'story_id', v_row.story_id, 'task_id', v_row.task_id));
  return null;
end;
$function$;

ALTER TABLE "public"."evidence" ADD CONSTRAINT "evidence_base_file_id_fkey" FOREIGN KEY (base_file_id) REFERENCES public.files(id) ON DELETE SET NULL;

CREATE INDEX evidence_base_file_id_idx ON public.evidence USING btree (base_file_id) WHERE (base_file_id IS NOT NULL);

CREATE TRIGGER _900_emit AFTER INSERT OR DELETE ON public.files FOR EACH ROW EXECUTE FUNCTION private.tg_files__emit();

COMMENT ON COLUMN "public"."evidence"."base_file_id" IS 'The same without the work: what it looked like before.';

COMMENT ON FUNCTION "operations"."delete_file"(uuid) IS 'Deletes a file: who added it, or the owner of the product.';

COMMENT ON FUNCTION "operations"."export_file"(uuid) IS 'The content of a file in base64, null where it is gone. Service only.';

COMMENT ON FUNCTION "operations"."import_file"(uuid, jsonb, text) IS 'A file of an import, which belongs to nothing yet. Service only.';

COMMENT ON FUNCTION "operations"."list_files"(uuid, integer, uuid) IS 'The files of a product, newest first, and the bytes they take.';

COMMENT ON FUNCTION "operations"."place_files"(uuid, jsonb) IS 'What the files of an import belong to. Service only.';

COMMENT ON FUNCTION "operations"."read_file"(uuid, boolean) IS 'A file with its content in base64, null where that was not asked for.';

COMMENT ON FUNCTION "operations"."taken_file_ids"(jsonb) IS 'Which of these ids files have already. Service only.';

COMMENT ON FUNCTION "private"."adopt_files"(public.comments) IS 'Makes the files that a new comment shows its own.';

COMMENT ON FUNCTION "private"."export_files"(uuid) IS 'Files of a product for the export file. Used by export_product only.';

COMMENT ON FUNCTION "private"."file_json"(uuid) IS 'A file without its content, as every answer shows it.';

COMMENT ON FUNCTION "private"."files_of"(uuid) IS 'The files of a story or task, oldest first.';

COMMENT ON FUNCTION "private"."imported_file"(uuid, text) IS 'A file of this import by its id, or null.';

COMMENT ON FUNCTION "private"."is_evidence"(uuid) IS 'Whether evidence shows this file.';

COMMENT ON FUNCTION "private"."listed_file_json"(public.files) IS 'A file as lists show it.';

COMMENT ON FUNCTION "private"."require_evidence_file"(uuid, jsonb, text, integer) IS 'PT422 for a file that is not in the product of the story.';

COMMENT ON FUNCTION "private"."require_file_place"(uuid, uuid, uuid, uuid, uuid) IS 'PT422 for a place in another product, PT403 for a comment of somebody else.';

COMMENT ON FUNCTION "private"."tg_files__emit"() IS 'Announces files on product:<id>.';

REVOKE ALL ON FUNCTION "operations"."delete_file"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."delete_file"(uuid) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "operations"."export_file"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."export_file"(uuid) TO "postgres", "service_role";

REVOKE ALL ON FUNCTION "operations"."import_file"(uuid, jsonb, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."import_file"(uuid, jsonb, text) TO "postgres", "service_role";

REVOKE ALL ON FUNCTION "operations"."list_files"(uuid, integer, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."list_files"(uuid, integer, uuid) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "operations"."place_files"(uuid, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."place_files"(uuid, jsonb) TO "postgres", "service_role";

REVOKE ALL ON FUNCTION "operations"."read_file"(uuid, boolean) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."read_file"(uuid, boolean) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "operations"."taken_file_ids"(jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."taken_file_ids"(jsonb) TO "postgres", "service_role";

REVOKE ALL ON FUNCTION "private"."adopt_files"(public.comments) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."adopt_files"(public.comments) TO "postgres";

REVOKE ALL ON FUNCTION "private"."export_files"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."export_files"(uuid) TO "postgres", "service_role";

REVOKE ALL ON FUNCTION "private"."file_json"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."file_json"(uuid) TO "authenticated", "postgres", "service_role";

REVOKE ALL ON FUNCTION "private"."files_of"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."files_of"(uuid) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."imported_file"(uuid, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."imported_file"(uuid, text) TO "postgres", "service_role";

REVOKE ALL ON FUNCTION "private"."is_evidence"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."is_evidence"(uuid) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."listed_file_json"(public.files) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."listed_file_json"(public.files) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."require_evidence_file"(uuid, jsonb, text, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."require_evidence_file"(uuid, jsonb, text, integer) TO "postgres";

REVOKE ALL ON FUNCTION "private"."tg_files__emit"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."tg_files__emit"() TO "postgres";
