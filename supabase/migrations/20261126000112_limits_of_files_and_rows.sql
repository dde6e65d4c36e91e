-- Why: files of an import count as uploads do, the service counts the files of an installation, and an account owns at most
-- 200 products, each with 50 webhooks.
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
  perform private.require_file_room(p_product_id, octet_length(v_content));
  insert into public.files (product_id, story_id, task_id, comment_id, job_id, name, type, size)
  values (p_product_id, p_story_id, p_task_id, p_comment_id, p_job_id, p_name, p_type, octet_length(v_content))
  returning * into v_file;
  insert into public.file_contents (file_id, content) values (v_file.id, v_content);
  return private.file_json(v_file.id);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.count_file_bytes()
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (select to_json(coalesce(sum(f.size), 0)) from public.files f);
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
  perform private.require_file_room(p_product_id, octet_length(v_content));
  insert into public.files (id, product_id, name, type, size, created_by, created_at)
  values ((p_file ->> 'id')::uuid, p_product_id, p_file ->> 'name', p_file ->> 'type', octet_length(v_content), null,
    coalesce((p_file ->> 'created_at')::timestamptz, private.now()));
  insert into public.file_contents (file_id, content) values ((p_file ->> 'id')::uuid, v_content);
  return json_build_object('id', p_file ->> 'id');
end;
$function$;

CREATE OR REPLACE FUNCTION private.require_file_room(p_product_id uuid, p_bytes integer)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION private.tg_any__limit_rows()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_count bigint;
begin
  if auth.uid() is null then
    return new;
  end if;
  execute format('select count(*) from %I.%I where %I = ($1 ->> %L)::uuid', tg_table_schema, tg_table_name, tg_argv[0], tg_argv[0])
  into v_count using to_jsonb(new);
  if v_count >= tg_argv[1]::integer then
    perform private.refuse(409, format('There are %s %s, which is the limit. Delete some that are not needed.', tg_argv[1], tg_argv[2]));
  end if;
  return new;
end;
$function$;

CREATE TRIGGER _141_limit_rows BEFORE INSERT ON public.products FOR EACH ROW EXECUTE FUNCTION private.tg_any__limit_rows('owner_id', '200', 'products that you own');

CREATE TRIGGER _141_limit_rows BEFORE INSERT ON public.webhooks FOR EACH ROW EXECUTE FUNCTION private.tg_any__limit_rows('product_id', '50', 'webhooks of this product');

REVOKE ALL ON FUNCTION "operations"."count_file_bytes"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."count_file_bytes"() TO "postgres", "service_role";

REVOKE ALL ON FUNCTION "private"."require_file_room"(uuid, integer) FROM "service_role";

GRANT EXECUTE ON FUNCTION "private"."require_file_room"(uuid, integer) TO "service_role";

REVOKE ALL ON FUNCTION "private"."tg_any__limit_rows"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."tg_any__limit_rows"() TO "postgres";
