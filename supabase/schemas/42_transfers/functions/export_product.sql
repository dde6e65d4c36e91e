-- Why: `admin export --product` writes everything planned and logged for a product into one file, to keep or to import
-- elsewhere (docs/export-format.md). Service only: it reads whatever members may see.
create function operations.export_product(p_product_id uuid)
returns json
language plpgsql
stable
set search_path = ''
as $$
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
$$;

comment on function operations.export_product is 'The export file of a product (docs/export-format.md). Service only.';
grant execute on function operations.export_product to service_role;

-- Why: the ideas of all users for one product, with their logs and further products (docs/export-format.md).
create function private.export_ideas(p_product_id uuid)
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  return (
    select coalesce(json_agg(json_build_object(
      'code', i.code, 'username', u.username, 'title', i.title, 'description', i.description,
      'status', i.status, 'archived_at', private.export_time(i.archived_at),
      'pbi', (select b.code from public.pbis b where b.id = i.pbi_id and b.product_id = p_product_id),
      'linked_products', (
        select coalesce(json_agg(p.code order by p.code), '[]')
        from public.idea_products ip
        join public.products p on p.id = ip.product_id
        where ip.idea_id = i.id
      ),
      'created_at', private.export_time(i.created_at),
      'log', (
        select coalesce(json_agg(json_build_object(
          'kind', l.kind, 'content', l.content,
          'username', (select lu.username from public.users lu where lu.id = l.user_id),
          'created_at', private.export_time(l.created_at)
        ) order by l.created_at, l.kind, l.content, l.id), '[]')
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

comment on function private.export_ideas is 'Ideas of a product for the export file. Used by export_product only.';

grant execute on function private.export_ideas to service_role;

-- Why: the files of a product without their content, which lies in a folder beside the export file (docs/export-format.md). They have ids,
-- because texts name them by these.
create function private.export_files(p_product_id uuid)
returns json
language plpgsql
stable
set search_path = ''
as $$
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
$$;

comment on function private.export_files is 'Files of a product for the export file. Used by export_product only.';

grant execute on function private.export_files to service_role;
