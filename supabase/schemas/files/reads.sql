-- Called by GET /api/products/:id/files and the page Files: the newest first, and how much room they take. A cursor leads to older ones.
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

-- Why: what people and agents added to a story or task itself, as its page lists it. Files of comments are in the comments, and evidence in
-- the proof.
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

-- Why: the limit of an installation counts the files of all products. Service only: the limit is a setting of the service.
create function operations.count_file_bytes() returns json language plpgsql stable set search_path = '' as $$
begin
  return (select to_json(coalesce(sum(f.size), 0)) from public.files f);
end;
$$;
grant execute on function operations.count_file_bytes to service_role;
