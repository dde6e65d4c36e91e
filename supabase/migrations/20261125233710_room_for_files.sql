-- Why: no account fills the disk for the others: 5 GB for all products of an owner, 50 MB of a viewer, beside 1 GB a product.
set local check_function_bodies = off;

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
  perform private.lock_part('files', (select p.owner_id from public.products p where p.id = p_product_id));
  perform private.require_file_room(p_product_id, octet_length(v_content));
  insert into public.files (product_id, story_id, task_id, comment_id, job_id, name, type, size)
  values (p_product_id, p_story_id, p_task_id, p_comment_id, p_job_id, p_name, p_type, octet_length(v_content))
  returning * into v_file;
  insert into public.file_contents (file_id, content) values (v_file.id, v_content);
  return private.file_json(v_file.id);
end;
$function$;

CREATE OR REPLACE FUNCTION private.require_file_room(p_product_id uuid, p_bytes integer)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_taken record;
begin
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
$function$;

COMMENT ON FUNCTION "private"."require_file_room"(uuid, integer) IS 'PT413 beyond the bytes of a product, of an account, or of a viewer (docs/users.md).';

REVOKE ALL ON FUNCTION "private"."require_file_room"(uuid, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."require_file_room"(uuid, integer) TO "postgres";
