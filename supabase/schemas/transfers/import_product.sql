-- A file of an import, in a separate transaction, before the texts and the evidence that name it (docs/export-format.md). Service only.
-- It counts against the limits of the product and its owner, as an upload does.
create function operations.import_file(p_product_id uuid, p_file jsonb, p_content text)
returns json language plpgsql volatile set search_path = '' as $$
declare
  v_content bytea := decode(p_content, 'base64');
begin
  perform private.require_file_room(p_product_id, octet_length(v_content));
  insert into public.files (id, product_id, name, type, size, created_by, created_at)
  values ((p_file ->> 'id')::uuid, p_product_id, p_file ->> 'name', p_file ->> 'type', octet_length(v_content), null,
    coalesce((p_file ->> 'created_at')::timestamptz, private.now()));
  insert into public.file_contents (file_id, content) values ((p_file ->> 'id')::uuid, v_content);
  return json_build_object('id', p_file ->> 'id');
end;
$$;
grant execute on function operations.import_file to service_role;

-- The last step of an import: the ideas with their logs and links, then archiving the product, after which it is
-- read-only (docs/export-format.md). A code that another idea has is replaced. Service only.
create function operations.import_ideas(p_product_id uuid, p_owner_id uuid, p_ideas jsonb, p_archived_at timestamptz)
returns json language plpgsql volatile set search_path = '' as $$
declare
  v_ideas jsonb;
begin
  perform private.lock_product(p_product_id);

  select jsonb_agg(e.idea || jsonb_build_object(
    'id', gen_random_uuid(),
    'user_id', coalesce(u.id, p_owner_id),
    'code', case
      when exists (
        select from public.ideas i where i.user_id = coalesce(u.id, p_owner_id) and i.code = e.idea ->> 'code'
      ) then null
      else e.idea ->> 'code' end,
    'pbi_id', (select b.id from public.pbis b where b.product_id = p_product_id and b.code = e.idea ->> 'pbi')
  ) order by e.place)
  into v_ideas
  from jsonb_array_elements(p_ideas) with ordinality e (idea, place)
  left join public.users u on lower(u.username) = lower(e.idea ->> 'username');

  perform private.insert_rows('public.ideas', (
    select jsonb_agg(e.idea || jsonb_build_object('product_id', p_product_id, 'created_at', coalesce(e.idea ->> 'created_at', private.now()::text))
      order by (e.idea ->> 'code') is null, e.place)
    from jsonb_array_elements(v_ideas) with ordinality e (idea, place)));

  update public.pbis b
  set idea_id = i.id
  from public.ideas i
  where i.product_id = p_product_id and i.pbi_id = b.id;

  insert into public.idea_products (idea_id, product_id)
  select (e.idea ->> 'id')::uuid, p.id
  from jsonb_array_elements(v_ideas) e (idea)
  cross join lateral jsonb_array_elements_text(e.idea -> 'linked_products') l (code)
  join public.products p on p.owner_id = p_owner_id and p.code = l.code and p.id <> p_product_id;

  -- What the triggers wrote about the import itself gives way to the log of the file.
  delete from public.idea_logs l
  using jsonb_array_elements(v_ideas) e (idea)
  where l.idea_id = (e.idea ->> 'id')::uuid and jsonb_array_length(e.idea -> 'log') > 0;

  insert into public.idea_logs (idea_id, user_id, kind, content, created_at)
  select (e.idea ->> 'id')::uuid, u.id, l ->> 'kind', l ->> 'content',
    coalesce((l ->> 'created_at')::timestamptz, private.now())
  from jsonb_array_elements(v_ideas) e (idea)
  cross join lateral jsonb_array_elements(e.idea -> 'log') l
  left join public.users u on lower(u.username) = lower(l ->> 'username');

  update public.products p set archived_at = p_archived_at where p.id = p_product_id and p_archived_at is not null;

  return json_build_object('idea_codes', (
    select coalesce(json_agg(i.code order by e.place), '[]')
    from jsonb_array_elements(v_ideas) with ordinality e (idea, place)
    join public.ideas i on i.id = (e.idea ->> 'id')::uuid));
end;
$$;
grant execute on function operations.import_ideas to service_role;

-- The first step of an import: the product with its members, sprints and PBIs, in one transaction
-- (docs/export-format.md). Rate limits do not apply without a user. Service only.
create function operations.import_product(p_owner_id uuid, p_document jsonb)
returns json language plpgsql volatile set search_path = '' as $$
declare
  v_product jsonb := p_document -> 'product';
  v_product_id uuid := gen_random_uuid();
  v_pbis jsonb;
begin
  -- Archiving is the last step: an archived product is read-only.
  perform private.insert_rows('public.products', jsonb_build_array(v_product - 'archived_at' || jsonb_build_object(
    'id', v_product_id, 'owner_id', p_owner_id, 'created_at', coalesce(v_product ->> 'created_at', private.now()::text))));

  perform private.lock_product(v_product_id);

  insert into public.product_members (product_id, user_id, role)
  select distinct v_product_id, u.id, (case m ->> 'role' when 'VIEWER' then 'VIEWER' else 'MEMBER' end)::public.member_role
  from jsonb_array_elements(p_document -> 'members') m
  join public.users u on lower(u.username) = lower(m ->> 'username')
  where u.id <> p_owner_id;

  insert into public.code_counters (scope_id, kind, last_number)
  select v_product_id, c.key, c.value::bigint
  from jsonb_each_text(p_document -> 'counters') c
  where c.key in ('pbi', 'story', 'task', 'sprint');

  insert into public.labels (product_id, name, color)
  select v_product_id, l ->> 'name', lower(l ->> 'color')
  from jsonb_array_elements(p_document -> 'labels') l
  on conflict do nothing;

  insert into public.saved_views (product_id, created_by, page, name, look)
  select v_product_id, p_owner_id, v ->> 'page', v ->> 'name', v -> 'look'
  from jsonb_array_elements(p_document -> 'views') v
  on conflict do nothing;

  perform private.insert_rows('public.sprints', (
    select jsonb_agg(s || jsonb_build_object('product_id', v_product_id, 'created_at', coalesce(s ->> 'created_at', private.now()::text)))
    from jsonb_array_elements(p_document -> 'sprints') s));

  select jsonb_agg(e.pbi || jsonb_build_object('id', gen_random_uuid(), 'product_id', v_product_id, 'sort_order', e.pbi -> 'sort_order',
    'created_at', coalesce(e.pbi ->> 'created_at', private.now()::text)) order by e.place)
  into v_pbis
  from jsonb_array_elements(p_document -> 'pbis') with ordinality e (pbi, place);

  perform private.insert_rows('public.pbis', v_pbis);

  perform private.import_comments(v_product_id, 'pbi', v_pbis);

  return json_build_object(
    'id', v_product_id,
    'code', v_product ->> 'code',
    'pbi_codes', (
      select coalesce(json_agg(b.code order by e.place), '[]')
      from jsonb_array_elements(v_pbis) with ordinality e (pbi, place)
      join public.pbis b on b.id = (e.pbi ->> 'id')::uuid),
    'unknown_users', (
      select coalesce(json_agg(distinct m ->> 'username'), '[]')
      from jsonb_array_elements(p_document -> 'members') m
      where not exists (select from public.users u where lower(u.username) = lower(m ->> 'username'))));
end;
$$;
grant execute on function operations.import_product to service_role;

-- The second step of an import, called for each portion: stories with their tasks, logs, proof and reviews, in a
-- few statements for any number of rows (docs/export-format.md). Each story names its PBI by code. Plans count as a person's only
-- where the operator trusts the file. Service only.
create function operations.import_stories(p_product_id uuid, p_owner_id uuid, p_stories jsonb, p_trust boolean default false)
returns json language plpgsql volatile set search_path = '' as $$
declare
  v_stories jsonb;
  v_tasks jsonb;
begin
  perform private.lock_product(p_product_id);

  select jsonb_agg(e.story || jsonb_build_object('id', gen_random_uuid()) order by e.place)
  into v_stories
  from jsonb_array_elements(p_stories) with ordinality e (story, place);

  perform private.insert_rows('public.stories', (
    select jsonb_agg(e.story - 'status' || jsonb_build_object('product_id', p_product_id, 'pbi_id', b.id, 'sprint_id', s.id,
      'assignee_id', m.user_id, 'label_ids', private.label_ids_named(p_product_id, e.story -> 'labels'),
      'in_triage', e.story ->> 'status' is not distinct from 'TRIAGE',
      'created_at', coalesce(e.story ->> 'created_at', private.now()::text)) order by e.place)
    from jsonb_array_elements(v_stories) with ordinality e (story, place)
    join public.pbis b on b.product_id = p_product_id and b.code = e.story ->> 'pbi'
    left join public.sprints s on s.product_id = p_product_id and s.code = e.story ->> 'sprint'
    left join public.users u on lower(u.username) = lower(e.story ->> 'assignee')
    left join public.product_members m on m.product_id = p_product_id and m.user_id = u.id and m.role <> 'VIEWER'));

  select jsonb_agg(t.task || jsonb_build_object('id', gen_random_uuid(), 'product_id', p_product_id, 'story_id', e.story -> 'id',
    'label_ids', private.label_ids_named(p_product_id, t.task -> 'labels'),
    'plan_decision', case when p_trust then private.plan_decision(t.task ->> 'implementation_plan', null)
      || jsonb_build_object('verify_only', t.task -> 'verify_only') end,
    'created_at', coalesce(t.task ->> 'created_at', private.now()::text)) order by e.place, t.place)
  into v_tasks
  from jsonb_array_elements(v_stories) with ordinality e (story, place)
  cross join lateral jsonb_array_elements(e.story -> 'tasks') with ordinality t (task, place);

  perform private.insert_rows('public.tasks', v_tasks);

  perform private.insert_rows('public.story_logs', (
    select jsonb_agg(l || jsonb_build_object('story_id', e.story -> 'id', 'product_id', p_product_id, 'user_id', coalesce(u.id, p_owner_id),
      'created_at', coalesce(l ->> 'created_at', private.now()::text)))
    from jsonb_array_elements(v_stories) e (story)
    cross join lateral jsonb_array_elements(e.story -> 'log') l
    left join public.users u on lower(u.username) = lower(l ->> 'username')));

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
grant execute on function operations.import_stories to service_role;

-- The proof of a portion of stories. Criteria are matched by the hash of their text; observers are kept as names.
create function private.import_proof(p_product_id uuid, p_stories jsonb)
returns void language plpgsql volatile set search_path = '' as $$
begin
  insert into public.story_heads (story_id, head_sha, attempt)
  select (s ->> 'id')::uuid, s ->> 'head_sha', 0
  from jsonb_array_elements(p_stories) s
  where s ->> 'head_sha' is not null;

  perform private.insert_rows('public.evidence', (
    select jsonb_agg(l.line || jsonb_build_object('product_id', p_product_id, 'story_id', e.story -> 'id',
      'criterion', private.criterion_id(l.line ->> 'criterion'), 'criterion_text', l.line -> 'criterion',
      'file_id', private.imported_file(p_product_id, l.line ->> 'file'),
      'base_file_id', private.imported_file(p_product_id, l.line ->> 'base_file'),
      'created_at', coalesce(l.line ->> 'created_at', private.now()::text)) order by e.place, l.place)
    from jsonb_array_elements(p_stories) with ordinality e (story, place)
    cross join lateral jsonb_array_elements(e.story -> 'evidence') with ordinality l (line, place)));

  insert into public.waivers (product_id, story_id, criterion, criterion_text, reason, waived_by, created_at)
  select p_product_id, (s ->> 'id')::uuid, private.criterion_id(w ->> 'criterion'), w ->> 'criterion', w ->> 'reason',
    w ->> 'waived_by', coalesce((w ->> 'created_at')::timestamptz, private.now())
  from jsonb_array_elements(p_stories) s
  cross join lateral jsonb_array_elements(s -> 'waivers') w
  on conflict (story_id, criterion) do nothing;
end;
$$;
grant execute on function private.import_proof to service_role;

-- The file that evidence of an import shows; null where the import came without its files.
create function private.imported_file(p_product_id uuid, p_file_id text)
returns uuid language plpgsql stable set search_path = '' as $$
begin
  return (select f.id from public.files f where f.id = p_file_id::uuid and f.product_id = p_product_id);
end;
$$;
grant execute on function private.imported_file to service_role;

-- Imports the reviews of a portion of tasks; the next attempt gets the requests of the newest one. There are no
-- imported jobs, so a review belongs to its task; authors are kept as names.
create function private.import_reviews(p_product_id uuid, p_tasks jsonb)
returns void language plpgsql volatile set search_path = '' as $$
declare
  v_reviews jsonb;
begin
  select jsonb_agg(r.review || jsonb_build_object('id', gen_random_uuid(), 'product_id', p_product_id, 'task_id', t -> 'id',
    'created_at', coalesce(r.review ->> 'created_at', private.now()::text)))
  into v_reviews
  from jsonb_array_elements(p_tasks) t
  cross join lateral jsonb_array_elements(t -> 'reviews') r (review);

  perform private.insert_rows('public.job_reviews', v_reviews);
  perform private.insert_rows('public.job_comments', (
    select jsonb_agg(c || jsonb_build_object('product_id', p_product_id, 'review_id', r -> 'id',
      'created_at', coalesce(c ->> 'created_at', private.now()::text)))
    from jsonb_array_elements(v_reviews) r
    cross join lateral jsonb_array_elements(r -> 'comments') c));
end;
$$;
grant execute on function private.import_reviews to service_role;

-- The last step of an import: its files go to the stories and tasks of their codes, and to the comments that show them. Service only.
create function operations.place_files(p_product_id uuid, p_files jsonb)
returns json language plpgsql volatile set search_path = '' as $$
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
$$;
grant execute on function operations.place_files to service_role;

-- Imports the comments of a portion of PBIs, stories or tasks that have their new ids. Authors are kept as names:
-- an account of that name here may be someone else's. Old mentions send no notices (docs/export-format.md).
create function private.import_comments(p_product_id uuid, p_kind text, p_items jsonb)
returns void language plpgsql volatile set search_path = '' as $$
begin
  perform private.insert_rows('public.comments', (
    select jsonb_agg(l.c || jsonb_build_object('product_id', p_product_id, p_kind || '_id', e.item -> 'id',
      'created_at', coalesce(l.c ->> 'created_at', private.now()::text)) order by e.place, l.place)
    from jsonb_array_elements(p_items) with ordinality e (item, place)
    cross join lateral jsonb_array_elements(e.item -> 'comments') with ordinality l (c, place)));
end;
$$;
grant execute on function private.import_comments to service_role;
