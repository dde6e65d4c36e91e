-- Everything that waits for a person in one list, and what they put aside of it.
set local check_function_bodies = off;

CREATE TABLE "public"."inbox_marks" ("user_id" uuid NOT NULL, "item_kind" text NOT NULL, "item_id" uuid NOT NULL, "item_at" timestamp with time zone NOT NULL, "later_until" timestamp with time zone, CONSTRAINT "inbox_marks_kind" CHECK ((item_kind = ANY (ARRAY['question'::text, 'review'::text, 'run'::text, 'job'::text, 'added'::text]))), CONSTRAINT "inbox_marks_pkey" PRIMARY KEY (user_id, item_kind, item_id), "marked_at" timestamp with time zone NOT NULL DEFAULT private.now());

ALTER TABLE "public"."inbox_marks" ENABLE ROW LEVEL SECURITY;

CREATE OR REPLACE FUNCTION private.get_inbox(p_state text, p_kinds jsonb)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_state text := lower(private.require_choice('state', p_state, array['OPEN', 'LATER', 'DONE']));
begin
  return (
    with item as materialized (
      select i.kind, i.id, i.product_id, i.at, m.later_until, private.inbox_state(i.at, m) as state
      from private.inbox_items() i
      left join public.inbox_marks m on m.user_id = auth.uid() and m.item_kind = i.kind and m.item_id = i.id
    ), shown as (
      select i.* from item i
      where i.state = v_state and (p_kinds is null or p_kinds ? i.kind)
      order by i.at desc, i.id
      limit 100
    )
    select json_build_object(
      'items', (
        select coalesce(json_agg(
          jsonb_build_object('kind', s.kind, 'id', s.id, 'product_id', s.product_id, 'product_name', p.name, 'at', s.at,
            'state', s.state, 'later_until', case when s.state = 'later' then s.later_until end)
          || private.inbox_item_json(s.kind, s.id) order by s.at desc, s.id), '[]')
        from shown s join public.products p on p.id = s.product_id),
      'counts', (
        select coalesce(json_object_agg(c.kind, c.count), '{}')
        from (select i.kind, count(*) from item i where i.state = 'open' group by i.kind) c),
      'later', (select count(*) from item i where i.state = 'later'))
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.inbox_count()
 RETURNS integer
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select count(*)
    from private.inbox_items() i
    left join public.inbox_marks m on m.user_id = auth.uid() and m.item_kind = i.kind and m.item_id = i.id
    where private.inbox_state(i.at, m) = 'open');
end;
$function$;

CREATE OR REPLACE FUNCTION private.inbox_item_json(p_kind text, p_id uuid)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return case p_kind
    when 'question' then (
      select jsonb_build_object('question', private.question_json(q)) from public.agent_questions q where q.id = p_id)
    when 'review' then (
      select jsonb_build_object('code', t.code, 'title', t.title, 'story_code', s.code, 'story_title', s.title)
      from public.tasks t join public.stories s on s.id = t.story_id where t.id = p_id)
    when 'run' then (
      select jsonb_build_object('code', s.code, 'title', s.sprint_goal, 'sprint_id', s.id,
        'reason', r.failure ->> 'reason', 'task_id', r.failure ->> 'task_id', 'task_code', r.failure ->> 'task_code')
      from public.sprint_runs r join public.sprints s on s.id = r.sprint_id where r.id = p_id)
    when 'job' then (
      select jsonb_build_object('code', i.code, 'title', i.title, 'reason', j.failure_reason, 'idea_id', j.idea_id)
      from public.agent_jobs j join public.ideas i on i.id = j.idea_id where j.id = p_id)
    when 'added' then (
      select jsonb_build_object('code', p.code, 'title', p.name, 'owner_name', private.username(p.owner_id))
      from public.products p where p.id = p_id)
  end;
end;
$function$;

CREATE OR REPLACE FUNCTION private.inbox_items()
 RETURNS TABLE(kind text, id uuid, product_id uuid, at timestamp with time zone)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_now timestamptz := private.now();
  v_since timestamptz := v_now - interval '14 days';
  v_products uuid[] := array(select private.writable_product_ids());
begin
  return query
    select 'question', q.id, q.product_id, q.created_at
    from public.agent_questions q
    where q.status = 'OPEN' and q.expires_at > v_now and q.product_id = any (v_products)
    union all
    select 'review', t.id, t.product_id, coalesce(
      (select max(c.changed_at) from public.task_status_changes c where c.task_id = t.id and c.to_status = 'REVIEW'), t.updated_at)
    from public.tasks t
    where t.status = 'REVIEW' and t.product_id = any (v_products)
    union all
    select 'run', r.id, r.product_id, r.finished_at
    from public.sprint_runs r
    where r.status = 'FAILED' and r.product_id = any (v_products) and r.finished_at > v_since
      and not exists (select from public.sprint_runs n where n.sprint_id = r.sprint_id and n.created_at > r.created_at)
    union all
    -- A job of a task is told by its run; a talk about an idea is its owner's alone.
    select 'job', j.id, j.product_id, j.finished_at
    from public.agent_jobs j
    where j.status = 'FAILED' and j.finished_at > v_since and j.product_id = any (v_products) and j.idea_id is not null
      and j.created_by = auth.uid()
      and not exists (select from public.agent_jobs n where n.idea_id = j.idea_id and n.created_at > j.created_at)
    union all
    select 'added', m.product_id, m.product_id, m.created_at
    from public.product_members m
    where m.user_id = auth.uid() and m.role = 'MEMBER' and m.workers_decided_at is null and m.product_id = any (v_products);
end;
$function$;

CREATE OR REPLACE FUNCTION private.inbox_state(p_at timestamp with time zone, p_mark public.inbox_marks)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return case
    when p_mark.item_at is null or p_mark.item_at < p_at then 'open'
    when p_mark.later_until is null then 'done'
    when p_mark.later_until > private.now() then 'later'
    else 'open'
  end;
end;
$function$;

CREATE OR REPLACE FUNCTION private.mark_inbox_item(p_kind text, p_item_id uuid, p_mark text, p_until timestamp with time zone)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_now timestamptz := private.now();
  v_mark text := lower(private.require_choice('mark', p_mark, array['DONE', 'LATER', 'OPEN']));
  v_until timestamptz := coalesce(p_until, date_trunc('day', v_now at time zone 'UTC') at time zone 'UTC' + interval '31 hours');
  v_item record;
begin
  select i.product_id, i.at into v_item from private.inbox_items() i where i.kind = p_kind and i.id = p_item_id;
  if not found then
    perform private.refuse(404, 'It waits for nobody any more: somebody has dealt with it.');
  end if;
  perform private.require_write('product', v_item.product_id);
  perform private.take_rate_limit('inbox', auth.uid()::text);
  if v_mark = 'later' and not v_until between v_now and v_now + interval '31 days' then
    perform private.refuse(422, 'Put it off by at most a month, and not into the past.');
  end if;

  delete from public.inbox_marks m
  where m.user_id = auth.uid()
    and (m.marked_at < v_now - interval '90 days' or m.item_kind = p_kind and m.item_id = p_item_id);
  if v_mark <> 'open' then
    insert into public.inbox_marks (user_id, item_kind, item_id, item_at, later_until)
    values (auth.uid(), p_kind, p_item_id, v_item.at, case when v_mark = 'later' then v_until end);
  end if;
  perform private.emit('user:' || auth.uid(), jsonb_build_object('op', 'U', 'entity', 'inbox', 'id', p_item_id, 'product_id', null));
  return json_build_object('kind', p_kind, 'id', p_item_id, 'state', v_mark, 'later_until', case when v_mark = 'later' then v_until end);
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
      ('registration', 5, 3600),
      ('recovery', 5, 3600),
      ('pair_start', 10, 60),
      -- per user
      ('product', 5, 60),
      ('member', 30, 60),
      ('pbi', 30, 60),
      ('story', 60, 60),
      ('task', 100, 60),
      ('sprint', 10, 60),
      ('idea', 60, 60),
      ('story_log', 120, 60),
      ('answer', 60, 60),
      ('question', 60, 60),
      ('enqueue', 30, 60),
      ('api_token', 10, 3600),
      ('password', 10, 3600),
      ('pair_secret', 20, 3600),
      ('avatar', 10, 60),
      ('push_subscription', 20, 60),
      ('webhook', 10, 60),
      ('inbox', 240, 60),
      -- per job
      ('job_output', 240, 60)
  ) as l (action, max_count, seconds)
  where l.action = p_action;

  if not found then
    raise exception 'There is no rate limit named %', p_action;
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_any__tell_inbox()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.emit_to_members(new.product_id,
    jsonb_build_object('op', 'U', 'entity', 'inbox', 'id', new.id, 'product_id', new.product_id));
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION public.get_inbox(p_state text DEFAULT 'OPEN'::text, p_kinds jsonb DEFAULT NULL::jsonb)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return private.get_inbox(p_state, p_kinds);
end;
$function$;

CREATE OR REPLACE FUNCTION public.get_shell(p_active_product_id uuid DEFAULT NULL::uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return json_build_object(
    'products', (
      select coalesce(json_agg(row_to_json(p) order by lower(p.name), p.id), '[]')
      from (
        select p.id, p.code, p.name
        from public.products p
        where p.archived_at is null and p.id in (select private.accessible_product_ids())
      ) p),
    'active_sprint_id', (
      select s.id from public.sprints s where s.product_id = p_active_product_id and s.status = 'ACTIVE'),
    'open_questions', (
      select count(*)
      from public.agent_questions q
      where q.status = 'OPEN' and q.expires_at > private.now()
        and q.product_id in (select private.writable_product_ids())),
    'inbox', private.inbox_count()
  );
end;
$function$;

CREATE OR REPLACE FUNCTION public.mark_inbox_item(p_kind text, p_item_id uuid, p_mark text, p_until timestamp with time zone DEFAULT NULL::timestamp with time zone)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  return private.mark_inbox_item(p_kind, p_item_id, p_mark, p_until);
end;
$function$;

ALTER TABLE "public"."inbox_marks" ADD CONSTRAINT "inbox_marks_user_id_fkey" FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;

CREATE INDEX tasks_review_idx ON public.tasks USING btree (product_id) WHERE (status = 'REVIEW'::public.task_status);

CREATE TRIGGER _890_tell_inbox AFTER UPDATE ON public.agent_jobs FOR EACH ROW WHEN (((old.status IS DISTINCT FROM new.status) AND (('FAILED'::public.agent_job_status = old.status) OR ('FAILED'::public.agent_job_status = new.status)) AND (new.idea_id IS NOT NULL))) EXECUTE FUNCTION private.tg_any__tell_inbox();

CREATE TRIGGER _890_tell_inbox AFTER UPDATE ON public.sprint_runs FOR EACH ROW WHEN (((old.status IS DISTINCT FROM new.status) AND (('FAILED'::public.sprint_run_status = old.status) OR ('FAILED'::public.sprint_run_status = new.status)))) EXECUTE FUNCTION private.tg_any__tell_inbox();

CREATE TRIGGER _890_tell_inbox AFTER UPDATE ON public.tasks FOR EACH ROW WHEN (((old.status IS DISTINCT FROM new.status) AND (('REVIEW'::public.task_status = old.status) OR ('REVIEW'::public.task_status = new.status)))) EXECUTE FUNCTION private.tg_any__tell_inbox();

CREATE POLICY "inbox_marks_select" ON "public"."inbox_marks" FOR SELECT TO "authenticated" USING ((user_id = ( SELECT auth.uid() AS uid)));

COMMENT ON COLUMN "public"."inbox_marks"."item_at" IS 'Since when the item waited as it was marked; one that waits anew is shown again.';

COMMENT ON FUNCTION "private"."inbox_count"() IS 'How many things wait for the caller and are neither done nor put off.';

COMMENT ON FUNCTION "private"."inbox_item_json"(text, uuid) IS 'What an item of the inbox says, by kind.';

COMMENT ON FUNCTION "private"."inbox_items"() IS 'What waits for the caller over all products, whether put aside or not.';

COMMENT ON FUNCTION "private"."inbox_state"(timestamp with time zone, public.inbox_marks) IS 'open, later or done: how an item of the inbox stands for the owner of the mark.';

COMMENT ON FUNCTION "private"."tg_any__tell_inbox"() IS 'Tells the members of a product that something began or ceased to wait for them.';

COMMENT ON FUNCTION "public"."get_inbox"(text, jsonb) IS 'What waits for the caller over all products: open, put off or done.';

COMMENT ON FUNCTION "public"."get_shell"(uuid) IS 'The frame of every signed-in page: products, active sprint, open questions, the inbox.';

COMMENT ON FUNCTION "public"."mark_inbox_item"(text, uuid, text, timestamp with time zone) IS 'Puts an item of the caller''s inbox aside, or brings it back.';

COMMENT ON TABLE "public"."inbox_marks" IS 'What a person has done or put off in their inbox: theirs alone.';

REVOKE ALL ON FUNCTION "private"."get_inbox"(text, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."get_inbox"(text, jsonb) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."inbox_count"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."inbox_count"() TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."inbox_item_json"(text, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."inbox_item_json"(text, uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."inbox_items"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."inbox_items"() TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."inbox_state"(timestamp with time zone, public.inbox_marks) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."inbox_state"(timestamp with time zone, public.inbox_marks) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."mark_inbox_item"(text, uuid, text, timestamp with time zone) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."mark_inbox_item"(text, uuid, text, timestamp with time zone) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."tg_any__tell_inbox"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."tg_any__tell_inbox"() TO "postgres";

REVOKE ALL ON FUNCTION "public"."get_inbox"(text, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."get_inbox"(text, jsonb) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "public"."mark_inbox_item"(text, uuid, text, timestamp with time zone) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."mark_inbox_item"(text, uuid, text, timestamp with time zone) TO "authenticated", "postgres";

GRANT SELECT ON TABLE "public"."inbox_marks" TO "authenticated";

GRANT ALL ON TABLE "public"."inbox_marks" TO "postgres";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "public"."inbox_marks" TO "service_role";
