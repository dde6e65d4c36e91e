-- Pictures and recordings shown in comments, stories, tasks and jobs. The content is in a separate table, so that
-- listing files does not read it; supabase/README.md, Files, says why it is in the database at all. Written by functions only.
create table public.files (
  id uuid primary key default gen_random_uuid(),
  product_id uuid not null references public.products (id) on delete cascade,
  story_id uuid,
  task_id uuid,
  comment_id uuid references public.comments (id) on delete cascade,
  job_id uuid references public.agent_jobs (id) on delete cascade,
  name text not null constraint files_name_length check (char_length(name) between 1 and 200),
  type text not null constraint files_type_known check (type in
    ('image/png', 'image/jpeg', 'image/gif', 'image/webp', 'video/mp4', 'video/webm', 'application/pdf', 'text/plain')),
  size integer not null constraint files_size_allowed check (size between 1 and 10485760),
  created_by uuid default auth.uid() references public.users (id) on delete set null,
  created_at timestamptz not null default private.now(),
  constraint files_story_fkey foreign key (story_id, product_id) references public.stories (id, product_id) on delete cascade,
  constraint files_task_fkey foreign key (task_id, product_id) references public.tasks (id, product_id) on delete cascade
);

comment on table public.files is 'Files that people and agents attach in a product (docs/board.md).';
create index files_product_idx on public.files (product_id);
create index files_story_idx on public.files (story_id, product_id) where story_id is not null;
create index files_task_idx on public.files (task_id, product_id) where task_id is not null;
create index files_comment_idx on public.files (comment_id) where comment_id is not null;
create index files_job_idx on public.files (job_id) where job_id is not null;
create index files_created_by_idx on public.files (created_by);

alter table public.files enable row level security;

create policy files_select on public.files for select to authenticated
  using (product_id in (select private.accessible_product_ids()));
grant select on public.files to authenticated;

-- The content of a file, read by operations.read_file after it has checked access.
create table public.file_contents (
  file_id uuid primary key references public.files (id) on delete cascade,
  content bytea not null
);

-- Not compressed, so that a part of a file is read without the rest.
alter table public.file_contents alter column content set storage external;

comment on table public.file_contents is 'The bytes of files; service only.';

alter table public.file_contents enable row level security;

create trigger _900_emit after insert or delete on public.files for each row
  execute function private.tg_any__emit('file', '{product:product_id}', '{"story_id": "story_id", "task_id": "task_id"}');

-- A file is sent while its comment is still being written. Once the comment is there it belongs to it, and goes with it.
create function private.adopt_files(p_comment public.comments)
returns void language plpgsql volatile set search_path = '' as $$
begin
  update public.files f set comment_id = p_comment.id
  where f.product_id = p_comment.product_id and f.created_by = p_comment.author_id
    and num_nonnulls(f.story_id, f.task_id, f.comment_id, f.job_id) = 0
    and f.id in (
      select m[1]::uuid
      from regexp_matches(p_comment.body, '/api/files/([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})', 'g') m)
    and not private.is_evidence(f.id);
end;
$$;

-- Adds a file to a product. Viewers add files to their own comments only. The service has detected its type from its
-- content. Concurrent calls for products of one owner wait for each other's count. Refusals: 404, 403, 413, 422, 429.
-- Definer: files are written by functions only (docs/board.md).
create function operations.add_file(
  p_product_id uuid, p_name text, p_type text, p_content text, p_story_id uuid default null,
  p_task_id uuid default null, p_comment_id uuid default null, p_job_id uuid default null
) returns json language plpgsql volatile security definer set search_path = '' as $$
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
  perform private.require_file_room(p_product_id, octet_length(v_content));
  insert into public.files (product_id, story_id, task_id, comment_id, job_id, name, type, size)
  values (p_product_id, p_story_id, p_task_id, p_comment_id, p_job_id, p_name, p_type, octet_length(v_content))
  returning * into v_file;
  insert into public.file_contents (file_id, content) values (v_file.id, v_content);
  return private.file_json(v_file.id);
end;
$$;
grant execute on function operations.add_file to authenticated;
comment on function operations.add_file is 'scope plan or work';

-- The item a file belongs to must be in its product, and a comment must be the caller's own.
create function private.require_file_place(
  p_product_id uuid, p_story_id uuid, p_task_id uuid, p_comment_id uuid, p_job_id uuid
) returns void language plpgsql volatile set search_path = '' as $$
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
$$;

-- No one fills the disk for the others: a product holds 1 GB, all products of an account 5 GB, and a viewer adds
-- 50 MB to a product (docs/administration.md). Uploads and imports of one owner take turns, so that the count holds until the file is there.
create function private.require_file_room(p_product_id uuid, p_bytes integer)
returns void language plpgsql volatile set search_path = '' as $$
declare
  v_taken record;
begin
  perform pg_advisory_xact_lock(hashtextextended('files:' || p.owner_id::text, 0)) from public.products p where p.id = p_product_id;
  select coalesce(sum(f.size), 0) as by_owner, coalesce(sum(f.size) filter (where f.product_id = p_product_id), 0) as of_product,
    coalesce(sum(f.size) filter (where f.product_id = p_product_id and f.created_by = auth.uid()), 0) as of_caller
  into v_taken
  from public.products o
  join public.products p on p.owner_id = o.owner_id
  join public.files f on f.product_id = p.id
  where o.id = p_product_id;
  if v_taken.of_product + p_bytes > 1073741824 then
    perform private.refuse(413, 'The files of this product take 1 GB, which is the limit. Delete some on its page Files first.');
  end if;
  if v_taken.by_owner + p_bytes > 5368709120 then
    perform private.refuse(413, 'The files of all products of this owner take 5 GB, which is the limit for an account. Delete some on the pages Files of these products first.');
  end if;
  if v_taken.of_caller + p_bytes > 52428800 and exists (
    select from public.product_members m where m.product_id = p_product_id and m.user_id = auth.uid() and m.role = 'VIEWER')
  then
    perform private.refuse(413, 'Your files in this product take 50 MB, which is the limit for a viewer. Delete some of them first.');
  end if;
end;
$$;
grant execute on function private.require_file_room to service_role;

-- The person who added a file deletes it, or the product's owner, to have room again. Only the owner deletes
-- evidence: no one removes what speaks about their own work. Refusals: 404, 403, 429. Definer: files are written by functions only.
create function operations.delete_file(p_file_id uuid)
returns json language plpgsql volatile security definer set search_path = '' as $$
declare
  v_file public.files;
begin
  select f.* into v_file from public.files f
  where f.id = p_file_id and f.product_id in (select private.accessible_product_ids());
  if v_file.id is null then
    perform private.refuse(404, 'This file does not exist. It may have been deleted. List the product''s files to see what is there.');
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
$$;
grant execute on function operations.delete_file to authenticated;

-- What a request costs follows from what is sent, not from the file. Without access a file looks missing. Without a
-- length nothing is read: a browser asks if it may still show it. Definer: users may not select contents.
create function operations.read_file(p_file_id uuid, p_from integer default 0, p_length integer default 0)
returns json language plpgsql volatile security definer set search_path = '' as $$
declare
  v_file public.files;
begin
  select f.* into v_file from public.files f
  where f.id = p_file_id and f.product_id in (select private.accessible_product_ids());
  if v_file.id is null then
    perform private.refuse(404, 'This file does not exist. It may have been deleted. List the product''s files to see what is there.');
  end if;
  if p_length > 0 then
    perform private.take_rate_limit('file_read', auth.uid()::text);
  end if;
  return json_build_object('name', v_file.name, 'type', v_file.type, 'size', v_file.size, 'content', (
    select encode(substring(c.content from p_from + 1 for least(p_length, 1048576)), 'base64')
    from public.file_contents c where c.file_id = p_file_id and p_length > 0));
end;
$$;
grant execute on function operations.read_file to authenticated;
comment on function operations.read_file is 'reads';

-- The newest first, and how much room they take. A cursor leads to older ones.
create function operations.list_files(p_product_id uuid, p_limit integer default 100, p_cursor text default null)
returns json language plpgsql stable set search_path = '' as $$
declare
  v_limit integer := least(greatest(coalesce(p_limit, 100), 1), 200);
  v_found public.files[];
  v_after record := private.read_cursor(p_cursor, 1);
begin
  perform private.require_product_access(p_product_id);
  v_found := array(
    select f
    from public.files f
    where f.product_id = p_product_id and (p_cursor is null or (f.created_at, f.id) < (private.time_at(v_after.place[1]), v_after.id))
    order by f.created_at desc, f.id desc
    limit v_limit + 1);
  return json_build_object(
    'files', (
      select coalesce(json_agg(private.listed_file_json(f) order by f.created_at desc, f.id desc), '[]')
      from unnest(v_found[1:v_limit]) f),
    'used', (select coalesce(sum(f.size), 0) from public.files f where f.product_id = p_product_id),
    'next_cursor', case when cardinality(v_found) > v_limit then
      private.cursor_of((v_found[v_limit]).id, private.microseconds((v_found[v_limit]).created_at)) end);
end;
$$;
grant execute on function operations.list_files to authenticated;

-- A file in a list: also when and by whom it was added, where it belongs, and whether it proves something.
create function private.listed_file_json(p_file public.files)
returns json language plpgsql stable set search_path = '' as $$
begin
  return json_build_object('id', p_file.id, 'url', '/api/files/' || p_file.id, 'name', p_file.name, 'type', p_file.type, 'size', p_file.size,
    'created_at', p_file.created_at, 'created_by', p_file.created_by, 'author', private.username(p_file.created_by),
    'story_id', p_file.story_id, 'task_id', p_file.task_id, 'comment_id', p_file.comment_id, 'job_id', p_file.job_id,
    'evidence', private.is_evidence(p_file.id));
end;
$$;
grant execute on function private.listed_file_json to authenticated;

-- Whether a file shows that a criterion is met, or how it was before.
create function private.is_evidence(p_file_id uuid) returns boolean language plpgsql stable set search_path = '' as $$
begin
  return exists (select from public.evidence e where e.file_id = p_file_id or e.base_file_id = p_file_id);
end;
$$;
grant execute on function private.is_evidence to authenticated;

-- One shape of a file for all who read it.
create function private.file_json(p_file_id uuid) returns json language plpgsql stable set search_path = '' as $$
begin
  return (
    select json_build_object('id', f.id, 'url', '/api/files/' || f.id, 'name', f.name, 'type', f.type, 'size', f.size)
    from public.files f where f.id = p_file_id);
end;
$$;
grant execute on function private.file_json to authenticated, service_role;

-- Files of a story or task itself, for its page. Those of comments are in the comments, evidence in the proof.
create function private.files_of(p_item_id uuid) returns json language plpgsql stable set search_path = '' as $$
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
$$;
grant execute on function private.files_of to authenticated;

-- The limit of an installation counts the files of all products. Service only: the limit is a setting of the service.
create function operations.count_file_bytes() returns json language plpgsql stable set search_path = '' as $$
begin
  return (select to_json(coalesce(sum(f.size), 0)) from public.files f);
end;
$$;
grant execute on function operations.count_file_bytes to service_role;
