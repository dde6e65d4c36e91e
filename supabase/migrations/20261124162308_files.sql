-- Why: comments and texts show pictures and recordings, which are kept in the database and so are in every backup.
set local check_function_bodies = off;

CREATE TABLE "public"."file_contents" ("file_id" uuid NOT NULL, "content" bytea NOT NULL, CONSTRAINT "file_contents_pkey" PRIMARY KEY (file_id));

ALTER TABLE "public"."file_contents" ENABLE ROW LEVEL SECURITY;

CREATE TABLE "public"."files" ("id" uuid NOT NULL DEFAULT gen_random_uuid(), "product_id" uuid NOT NULL, "story_id" uuid, "task_id" uuid, "comment_id" uuid, "job_id" uuid, "name" text NOT NULL, "type" text NOT NULL, "size" integer NOT NULL, CONSTRAINT "files_name_length" CHECK (((char_length(name) >= 1) AND (char_length(name) <= 200))), CONSTRAINT "files_pkey" PRIMARY KEY (id), CONSTRAINT "files_size_allowed" CHECK (((size >= 1) AND (size <= 10485760))), CONSTRAINT "files_type_known" CHECK ((type = ANY (ARRAY['image/png'::text, 'image/jpeg'::text, 'image/gif'::text, 'image/webp'::text, 'video/mp4'::text, 'video/webm'::text, 'application/pdf'::text, 'text/plain'::text]))), "created_by" uuid DEFAULT auth.uid(), "created_at" timestamp with time zone NOT NULL DEFAULT private.now());

ALTER TABLE "public"."files" ENABLE ROW LEVEL SECURITY;

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
  perform private.require_product_write(p_product_id, true);
  perform private.require_file_place(p_product_id, p_story_id, p_task_id, p_comment_id, p_job_id);
  v_content := decode(p_content, 'base64');
  perform private.lock_part('files', p_product_id);
  if (select coalesce(sum(f.size), 0) from public.files f where f.product_id = p_product_id) + octet_length(v_content) > 1073741824 then
    perform private.refuse(413, 'The files of this product take 1 GB, which is the limit. Delete comments with large files first.');
  end if;
  insert into public.files (product_id, story_id, task_id, comment_id, job_id, name, type, size)
  values (p_product_id, p_story_id, p_task_id, p_comment_id, p_job_id, p_name, p_type, octet_length(v_content))
  returning * into v_file;
  insert into public.file_contents (file_id, content) values (v_file.id, v_content);
  return json_build_object('id', v_file.id, 'url', '/api/files/' || v_file.id, 'name', v_file.name, 'type', v_file.type, 'size', v_file.size);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.read_file(p_file_id uuid)
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
    'content', (select encode(c.content, 'base64') from public.file_contents c where c.file_id = p_file_id));
end;
$function$;

CREATE OR REPLACE FUNCTION private.rate_limit(p_action text, OUT p_max integer, OUT p_seconds integer)
 RETURNS record
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  select l.max_count, l.seconds
  into p_max, p_seconds
  from (
    values
      -- per client address (login also the failed tries of an account, or of a browser it was signed in on)
      ('login', 10, 60),
      ('provider_sign_in', 60, 60),
      ('registration', 5, 3600),
      ('recovery', 5, 3600),
      ('pair_start', 10, 60),
      ('oauth_register', 20, 600),
      ('oauth_token', 120, 60),
      ('hook_address', 3000, 60),
      -- per user
      ('product', 5, 60),
      ('member', 30, 60),
      ('member_lookup', 10, 3600),
      ('join', 20, 60),
      ('pbi', 30, 60),
      ('story', 60, 60),
      ('task', 100, 60),
      ('dependency', 120, 60),
      ('sprint', 10, 60),
      ('idea', 60, 60),
      ('story_log', 120, 60),
      ('answer', 60, 60),
      ('question', 60, 60),
      ('enqueue', 30, 60),
      ('change', 120, 60),
      ('undo', 60, 60),
      ('api_token', 10, 3600),
      ('oauth_consent', 100, 600),
      ('client_document', 60, 60),
      ('password', 10, 3600),
      ('pair_secret', 20, 3600),
      ('avatar', 10, 60),
      ('push_subscription', 20, 60),
      ('webhook', 10, 60),
      ('inbox', 240, 60),
      ('saved_view', 60, 60),
      ('label', 60, 60),
      ('comment', 60, 60),
      ('file', 60, 60),
      ('import', 10, 60),
      ('search', 240, 60),
      ('candidates', 240, 60),
      ('job_comment', 120, 60),
      ('job_review', 60, 60),
      ('pulls_observed', 120, 60),
      ('landings', 300, 60),
      -- per hook address: what is sent, and what is new
      ('hook', 3000, 60),
      ('hook_item', 300, 3600),
      -- per job
      ('job_output', 240, 60),
      ('job_diff', 30, 60),
      ('job_conflict', 30, 60),
      ('job_merged', 30, 60)
  ) as l (action, max_count, seconds)
  where l.action = p_action;

  if not found then
    raise exception 'There is no rate limit named %', p_action;
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
end;
$function$;

ALTER TABLE "public"."files" ADD CONSTRAINT "files_comment_id_fkey" FOREIGN KEY (comment_id) REFERENCES public.comments(id) ON DELETE CASCADE;

ALTER TABLE "public"."files" ADD CONSTRAINT "files_job_id_fkey" FOREIGN KEY (job_id) REFERENCES public.agent_jobs(id) ON DELETE CASCADE;

ALTER TABLE "public"."file_contents" ADD CONSTRAINT "file_contents_file_id_fkey" FOREIGN KEY (file_id) REFERENCES public.files(id) ON DELETE CASCADE;

ALTER TABLE "public"."files" ADD CONSTRAINT "files_product_id_fkey" FOREIGN KEY (product_id) REFERENCES public.products(id) ON DELETE CASCADE;

ALTER TABLE "public"."files" ADD CONSTRAINT "files_story_fkey" FOREIGN KEY (story_id, product_id) REFERENCES public.stories(id, product_id) ON DELETE CASCADE;

ALTER TABLE "public"."files" ADD CONSTRAINT "files_task_fkey" FOREIGN KEY (task_id, product_id) REFERENCES public.tasks(id, product_id) ON DELETE CASCADE;

CREATE INDEX files_comment_idx ON public.files USING btree (comment_id) WHERE (comment_id IS NOT NULL);

CREATE INDEX files_job_idx ON public.files USING btree (job_id) WHERE (job_id IS NOT NULL);

CREATE INDEX files_product_idx ON public.files USING btree (product_id);

CREATE INDEX files_story_idx ON public.files USING btree (story_id, product_id) WHERE (story_id IS NOT NULL);

CREATE INDEX files_task_idx ON public.files USING btree (task_id, product_id) WHERE (task_id IS NOT NULL);

CREATE POLICY "file_contents_service" ON "public"."file_contents" FOR ALL TO "service_role" USING (true) WITH CHECK (true);

CREATE POLICY "files_select" ON "public"."files" FOR SELECT TO "authenticated" USING ((product_id IN ( SELECT private.accessible_product_ids() AS accessible_product_ids)));

COMMENT ON FUNCTION "operations"."add_file"(uuid, text, text, text, uuid, uuid, uuid, uuid) IS 'Keeps a file of a product (docs/users.md).';

COMMENT ON FUNCTION "operations"."read_file"(uuid) IS 'A file with its content in base64.';

COMMENT ON FUNCTION "private"."require_file_place"(uuid, uuid, uuid, uuid, uuid) IS 'PT422 for a place in another product.';

COMMENT ON TABLE "public"."file_contents" IS 'The bytes of files; service only.';

COMMENT ON TABLE "public"."files" IS 'Files that people and agents attach in a product (docs/users.md).';

REVOKE ALL ON FUNCTION "operations"."add_file"(uuid, text, text, text, uuid, uuid, uuid, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."add_file"(uuid, text, text, text, uuid, uuid, uuid, uuid) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "operations"."read_file"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."read_file"(uuid) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."require_file_place"(uuid, uuid, uuid, uuid, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."require_file_place"(uuid, uuid, uuid, uuid, uuid) TO "postgres";

GRANT ALL ON TABLE "public"."file_contents" TO "postgres";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "public"."file_contents" TO "service_role";

GRANT SELECT ON TABLE "public"."files" TO "authenticated";

GRANT ALL ON TABLE "public"."files" TO "postgres";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "public"."files" TO "service_role";

ALTER TABLE "public"."files" ADD CONSTRAINT "files_created_by_fkey" FOREIGN KEY (created_by) REFERENCES public.users(id) ON DELETE SET NULL;

CREATE INDEX files_created_by_idx ON public.files USING btree (created_by);
