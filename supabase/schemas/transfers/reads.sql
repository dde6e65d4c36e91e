-- `admin export --files` writes the content of each file into a folder (docs/export-format.md). Service only.
create function operations.export_file(p_file_id uuid) returns json language plpgsql stable set search_path = '' as $$
begin
  return (
    select json_build_object('content', encode(c.content, 'base64'))
    from public.file_contents c where c.file_id = p_file_id);
end;
$$;
grant execute on function operations.export_file to service_role;

-- `admin export --product` writes everything planned and logged for a product into one file, to keep or to import
-- elsewhere (docs/export-format.md). Service only: it reads all that members may see.
create function operations.export_product(p_product_id uuid)
returns json language plpgsql stable set search_path = '' as $$
begin
  return (
    select json_build_object(
      'format', 'backloom-export', 'version', 1, 'exported_at', private.export_time(private.now()),
      'product', private.exported(to_jsonb(p), '{owner_id,landing_since}'),
      'members', (
        select coalesce(json_agg(json_build_object('username', u.username, 'role', m.role) order by u.username), '[]')
        from public.product_members m
        join public.users u on u.id = m.user_id
        where m.product_id = p.id),
      'sprints', (
        select coalesce(json_agg(private.exported(to_jsonb(s), '{}') order by private.sort_order_from_code(s.code)), '[]')
        from public.sprints s
        where s.product_id = p.id),
      'pbis', (
        select coalesce(json_agg(private.exported(to_jsonb(b), '{idea_id,is_intake}') || jsonb_build_object(
          'sort_order', b.sort_order, 'stories', private.export_stories(b.id), 'comments', private.export_comments(b.id)
        ) order by b.priority, b.sort_order, b.created_at, b.code), '[]')
        from public.pbis b
        where b.product_id = p.id),
      'labels', (
        select coalesce(json_agg(json_build_object('name', l.name, 'color', l.color) order by lower(l.name)), '[]')
        from public.labels l
        where l.product_id = p.id),
      'ideas', private.export_ideas(p.id),
      'lessons', (
        select coalesce(json_agg(private.exported(to_jsonb(l), '{job_id,task_id,label_ids,counted_from,weighed_at}') || jsonb_build_object(
          'task', (select t.code from public.tasks t where t.id = l.task_id),
          'labels', private.label_names(l.label_ids),
          'since', private.export_time(l.since),
          'after', case when l.status = 'accepted' then private.effect_since(l) else l.after end
        ) order by l.created_at, l.text, l.id), '[]')
        from public.lessons l where l.product_id = p.id),
      'views', (
        select coalesce(json_agg(json_build_object('page', v.page, 'name', v.name, 'look', v.look) order by v.page, lower(v.name)), '[]')
        from public.saved_views v
        where v.product_id = p.id and v.user_id is null),
      -- Without their content, which is in a folder next to the file. They have ids, because texts name them by these.
      'files', (
        select coalesce(json_agg(private.exported(to_jsonb(f), '{story_id,task_id,comment_id,job_id,created_by}') || jsonb_build_object(
          'id', f.id, 'of_comment', f.comment_id is not null,
          'story', (select s.code from public.stories s where s.id = f.story_id),
          'task', (select t.code from public.tasks t where t.id = f.task_id)
        ) order by f.created_at, f.id), '[]')
        from public.files f
        where f.product_id = p.id),
      'counters', (
        select coalesce(json_object_agg(c.kind, c.last_number order by c.kind), '{}')
        from public.code_counters c
        where c.scope_id = p.id)
    )
    from public.products p
    where p.id = p_product_id
  );
end;
$$;
grant execute on function operations.export_product to service_role;

-- The ideas of all users for one product, with their logs and further products (docs/export-format.md).
create function private.export_ideas(p_product_id uuid) returns json language plpgsql stable set search_path = '' as $$
begin
  return (
    select coalesce(json_agg(private.exported(to_jsonb(i), '{user_id,pbi_id}') || jsonb_build_object(
      'username', u.username,
      'pbi', (select b.code from public.pbis b where b.id = i.pbi_id and b.product_id = p_product_id),
      'linked_products', (
        select coalesce(json_agg(p.code order by p.code), '[]')
        from public.idea_products ip
        join public.products p on p.id = ip.product_id
        where ip.idea_id = i.id
      ),
      'log', (
        select coalesce(json_agg(private.exported(to_jsonb(l), '{idea_id,user_id}') || jsonb_build_object('username', private.username(l.user_id))
          order by l.created_at, l.kind, l.content, l.id), '[]')
        from public.idea_logs l
        where l.idea_id = i.id
      )
    ) order by u.username, i.code), '[]')
    from public.ideas i
    join public.users u on u.id = i.user_id
    where i.product_id = p_product_id
  );
end;
$$;
grant execute on function private.export_ideas to service_role;

-- The stories of one PBI with their tasks and logs, as nested in the export file (docs/export-format.md).
create function private.export_stories(p_pbi_id uuid) returns json language plpgsql stable set search_path = '' as $$
begin
  return (
    select coalesce(json_agg(private.exported(to_jsonb(s),
      '{pbi_id,sprint_id,assignee_id,label_ids,in_triage,is_template,template_id,external_id,external_url,origin}') || jsonb_build_object(
      'status', case when s.status = 'TEMPLATE' then 'TRIAGE' else s.status end,
      'sprint', (select sp.code from public.sprints sp where sp.id = s.sprint_id),
      'assignee', (select u.username from public.users u where u.id = s.assignee_id),
      'labels', private.label_names(s.label_ids),
      'blocked_by', private.export_blocked_by('story', s.id),
      'tasks', private.export_tasks(s.id),
      'log', (
        select coalesce(json_agg(private.exported(to_jsonb(l), '{story_id,user_id,job_id}') || jsonb_build_object(
          'username', private.username(l.user_id)) order by l.created_at, l.type, l.content, l.id), '[]')
        from public.story_logs l
        where l.story_id = s.id),
      'head_sha', (select h.head_sha from public.story_heads h where h.story_id = s.id),
      'evidence', (
        select coalesce(json_agg(
          private.exported(to_jsonb(e), '{story_id,seq,criterion_text,file_id,base_file_id,job_id,attempt,worker_id,user_id}')
          || jsonb_build_object('criterion', e.criterion_text, 'file', e.file_id, 'base_file', e.base_file_id) order by e.seq), '[]')
        from public.evidence e
        where e.story_id = s.id),
      'waivers', (
        select coalesce(json_agg(private.exported(to_jsonb(w), '{story_id,criterion_text,user_id}')
          || jsonb_build_object('criterion', w.criterion_text) order by w.created_at, w.criterion), '[]')
        from public.waivers w
        where w.story_id = s.id),
      'comments', private.export_comments(s.id)
    ) order by s.sort_order, s.created_at, s.code), '[]')
    from public.stories s
    where s.pbi_id = p_pbi_id
  );
end;
$$;
grant execute on function private.export_stories to service_role;

-- The tasks of one story, as nested in the export file (docs/export-format.md).
create function private.export_tasks(p_story_id uuid) returns json language plpgsql stable set search_path = '' as $$
begin
  return (
    select coalesce(json_agg(private.exported(to_jsonb(t), '{story_id,label_ids,repo_url_by,external_id,plan_decision}') || jsonb_build_object(
      'labels', private.label_names(t.label_ids),
      'blocked_by', private.export_blocked_by('task', t.id),
      'reviews', private.export_reviews(t.id),
      'comments', private.export_comments(t.id)
    ) order by t.sort_order, t.created_at, t.code), '[]')
    from public.tasks t
    where t.story_id = p_story_id
  );
end;
$$;
grant execute on function private.export_tasks to service_role;

-- The reviews of a task with their line comments, as nested in the export file (docs/export-format.md). The review
-- of a batch is with the batch's first task. Drafts are left out, as only their author may see them.
create function private.export_reviews(p_task_id uuid) returns json language plpgsql stable set search_path = '' as $$
begin
  return (
    select coalesce(json_agg(private.exported(to_jsonb(r), '{job_id,task_id,author_id,head_sha}') || jsonb_build_object(
      'comments', (
        select coalesce(json_agg(private.exported(to_jsonb(c), '{job_id,review_id,author_id}')
          order by c.created_at, c.path, c.line, c.side, c.body), '[]')
        from public.job_comments c where c.review_id = r.id)
    ) order by r.created_at, r.attempt, r.author, r.summary), '[]')
    from (
      select i.* from public.job_reviews i where i.task_id = p_task_id
      union all
      select i.* from public.agent_jobs j join public.job_reviews i on i.job_id = j.id
      where j.task_id = p_task_id and j.kind = 'TASK_IMPLEMENTATION'
      union all
      select i.*
      from public.task_executions e
      join public.agent_jobs j on j.sprint_run_id = e.sprint_run_id and j.kind = 'SPRINT_IMPLEMENTATION'
      join public.job_reviews i on i.job_id = j.id
      where e.task_id = p_task_id and not exists (
        select from public.task_executions f
        where f.sprint_run_id = e.sprint_run_id and (f.position, f.id) < (e.position, e.id))
    ) r
  );
end;
$$;
grant execute on function private.export_reviews to service_role;

-- The comments of a PBI, story or task, as nested in the export file (docs/export-format.md). Service only.
create function private.export_comments(p_item_id uuid) returns json language plpgsql stable set search_path = '' as $$
begin
  return (
    select coalesce(json_agg(private.exported(to_jsonb(c), '{pbi_id,story_id,task_id,author_id}')
      order by c.created_at, c.author, c.body), '[]')
    from public.comments c
    where c.pbi_id = p_item_id or c.story_id = p_item_id or c.task_id = p_item_id
  );
end;
$$;
grant execute on function private.export_comments to service_role;

-- A file keeps its id where that is free, so that what was exported reads back equal. Service only.
create function operations.taken_file_ids(p_ids jsonb) returns json language plpgsql stable set search_path = '' as $$
begin
  return (select coalesce(json_agg(f.id), '[]') from public.files f where f.id in (select i::uuid from jsonb_array_elements_text(p_ids) i));
end;
$$;
grant execute on function operations.taken_file_ids to service_role;

-- A row as the export has it, without the columns that mean something in this installation only and without those
-- named; a new column is exported unless it is named. Times are in UTC (docs/export-format.md).
create function private.exported(p_row jsonb, p_hidden text[])
returns jsonb language plpgsql stable set search_path = '' as $$
begin
  return (
    select jsonb_object_agg(f.key, case when f.key like '%\_at' then to_jsonb(private.export_time((f.value #>> '{}')::timestamptz)) else f.value end)
    from jsonb_each(p_row - '{id,product_id,sort_order,version,field_versions,updated_at}'::text[] - p_hidden) f);
end;
$$;
grant execute on function private.exported to service_role;

-- Not in the session's time zone, or two exports of the same rows would differ (docs/export-format.md).
create function private.export_time(p_time timestamptz) returns text language plpgsql stable set search_path = '' as $$
begin
  return to_char(p_time at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"');
end;
$$;
grant execute on function private.export_time to service_role;
