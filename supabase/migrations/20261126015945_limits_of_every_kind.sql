-- Why: nothing that an account creates is without a limit, whatever way it comes: every insert is counted once, imports included.
set local check_function_bodies = off;

DROP TRIGGER "_141_limit_rows" ON "public"."products";

DROP TRIGGER "_141_limit_rows" ON "public"."webhooks";

CREATE OR REPLACE FUNCTION operations.append_job_output(p_job_id uuid, p_attempt integer, p_entries jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_product_id uuid := private.require_job(p_job_id);
  v_job public.agent_jobs;
  v_attempt public.job_attempts;
  v_now timestamptz := private.now();
  v_bytes bigint;
  v_state text;
begin
  perform private.require_writer();
  perform private.require_product_write(v_product_id);
  select j.* into v_job from public.agent_jobs j where j.id = p_job_id;
  v_state := private.attempt_state(v_job, p_attempt);
  if v_state = 'lost' then
    perform private.refuse_attempt(v_job, p_attempt, v_state);
  end if;
  perform private.take_rate_limit('job_output', p_job_id::text);
  if pg_column_size(p_entries) > 262144 then
    perform private.refuse(422, 'A batch holds at most 64 KiB of text. Send it in parts.');
  end if;

  if v_state = 'held' and v_job.lease_until < v_now + private.lease() - interval '1 minute' then
    update public.agent_jobs j set lease_until = v_now + private.lease()
    where j.id = p_job_id and j.attempt = p_attempt and j.status in ('CLAIMED', 'RUNNING');
  end if;
  v_attempt := private.lock_attempt(v_job, p_attempt);
  -- Read under the lock: whoever had to wait for it is later than the one before.
  v_now := private.now();
  if v_attempt.ended_at < v_now - interval '10 minutes' then
    perform private.refuse(409, format('Attempt %s ended more than ten minutes ago and accepts no more output. Ask for the next job.', p_attempt));
  end if;

  with added as (
    insert into public.job_outputs (job_id, attempt, seq, at, kind, text, title, path, status)
    select p_job_id, p_attempt, e.seq, e.at, e.kind, e.text, e.title, e.path, e.status
    from jsonb_to_recordset(p_entries)
      as e (seq bigint, at timestamptz, kind text, text text, title text, path text, status text)
    on conflict (job_id, attempt, seq) do nothing
    returning private.output_bytes(job_outputs) as bytes, job_outputs.seq
  )
  select coalesce(sum(d.bytes), 0), greatest(max(d.seq), v_attempt.last_seq) into v_bytes, v_attempt.last_seq from added d;

  update public.job_attempts a
  set last_seq = v_attempt.last_seq,
      output_bytes = a.output_bytes + v_bytes,
      told_at = case when private.is_output_news(v_attempt.told_at, v_now) then v_now else a.told_at end
  where a.job_id = p_job_id and a.attempt = p_attempt
  returning a.* into v_attempt;

  if v_attempt.output_bytes > 5242880 then
    perform private.drop_output_middle(v_attempt);
  end if;
  if v_attempt.told_at = v_now then
    perform private.emit_job_output(v_job, v_attempt);
  end if;
  return json_build_object('last_seq', v_attempt.last_seq);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.create_label(p_product_id uuid, p_name text, p_color text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_id uuid := gen_random_uuid();
  v_name text;
begin
  perform private.require_write('product', p_product_id);
  perform private.take_rate_limit('label', auth.uid()::text);
  v_name := private.require_label_name(p_product_id, p_name, null);
  insert into public.labels (id, product_id, name, color)
  values (v_id, p_product_id, v_name, coalesce(lower(p_color), private.next_label_color(p_product_id)));
  return (select json_build_object('id', l.id, 'name', l.name, 'color', l.color) from public.labels l where l.id = v_id);
end;
$function$;

CREATE OR REPLACE FUNCTION private.drop_output_middle(p_attempt public.job_attempts)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_first bigint;
  v_last bigint;
  v_freed bigint;
begin
  select min(z.seq), max(z.seq), sum(z.bytes) into v_first, v_last, v_freed
  from (
    select o.seq, private.output_bytes(o) as bytes, sum(private.output_bytes(o)) over (order by o.seq) as so_far
    from public.job_outputs o
    where o.job_id = p_attempt.job_id and o.attempt = p_attempt.attempt
  ) z
  where z.so_far > 1048576 and z.so_far <= 1048576 + 1310720 + (p_attempt.output_bytes - 5242880);
  delete from public.job_outputs o
  where o.job_id = p_attempt.job_id and o.attempt = p_attempt.attempt and o.seq between v_first and v_last;

  update public.job_attempts a
  set output_bytes = a.output_bytes - coalesce(v_freed, 0),
      dropped_from = least(a.dropped_from, v_first),
      dropped_to = greatest(a.dropped_to, v_last)
  where a.job_id = p_attempt.job_id and a.attempt = p_attempt.attempt;
end;
$function$;

CREATE OR REPLACE FUNCTION private.output_bytes(p_entry public.job_outputs)
 RETURNS bigint
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$
  select 64 + octet_length(concat(p_entry.text, p_entry.title, p_entry.path));
$function$;

CREATE OR REPLACE FUNCTION private.tg_any__limit_rows()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_is_over boolean;
begin
  execute format(
    'select exists (select from (select distinct %1$I as scope from added) a
       where exists (select from %2$I.%3$I r where r.%1$I = a.scope offset %4$s))',
    tg_argv[0], tg_table_schema, tg_table_name, tg_argv[1]) into v_is_over;
  if v_is_over then
    perform private.refuse(409, format('There are %s %s', to_char(tg_argv[1]::integer, 'FM999,999'), tg_argv[2]));
  end if;
  return null;
end;
$function$;

CREATE TRIGGER _940_limit_rows AFTER INSERT ON public.ideas REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION private.tg_any__limit_rows('user_id', '10000', 'ideas of this account, which is the limit. Use one that you have archived for the new one.');

CREATE TRIGGER _940_limit_rows AFTER INSERT ON public.labels REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION private.tg_any__limit_rows('product_id', '200', 'labels of this product, which is the limit. Delete some that are not needed.');

CREATE TRIGGER _940_limit_rows AFTER INSERT ON public.pbis REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION private.tg_any__limit_rows('product_id', '100000', 'PBIs in this product, which is the limit. Delete some that are not needed.');

CREATE TRIGGER _940_limit_rows AFTER INSERT ON public.products REFERENCING NEW TABLE AS added FOR EACH STATEMENT WHEN ((auth.uid() IS NOT NULL)) EXECUTE FUNCTION private.tg_any__limit_rows('owner_id', '200', 'products that you own, which is the limit. Delete some that are not needed.');

CREATE TRIGGER _940_limit_rows AFTER INSERT ON public.push_subscriptions REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION private.tg_any__limit_rows('user_id', '50', 'browsers that get your messages, which is the limit. Turn messages off in one that you no longer use.');

CREATE TRIGGER _940_limit_rows AFTER INSERT ON public.saved_views REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION private.tg_any__limit_rows('product_id', '1000', 'views of this product, which is the limit. Delete some that are not needed.');

CREATE TRIGGER _940_limit_rows AFTER INSERT ON public.sprints REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION private.tg_any__limit_rows('product_id', '10000', 'sprints in this product, which is the limit. Go on in another product.');

CREATE TRIGGER _940_limit_rows AFTER INSERT ON public.stories REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION private.tg_any__limit_rows('product_id', '100000', 'stories in this product, which is the limit. Delete some that are not needed.');

CREATE TRIGGER _940_limit_rows AFTER INSERT ON public.story_logs REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION private.tg_any__limit_rows('story_id', '10000', 'log entries of this story, which is the limit. Go on in another story.');

CREATE TRIGGER _940_limit_rows AFTER INSERT ON public.tasks REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION private.tg_any__limit_rows('product_id', '100000', 'tasks in this product, which is the limit. Delete some that are not needed.');

CREATE TRIGGER _940_limit_rows AFTER INSERT ON public.webhooks REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION private.tg_any__limit_rows('product_id', '50', 'webhooks of this product, which is the limit. Delete some that are not needed.');

REVOKE ALL ON FUNCTION "private"."output_bytes"(public.job_outputs) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."output_bytes"(public.job_outputs) TO "postgres";
