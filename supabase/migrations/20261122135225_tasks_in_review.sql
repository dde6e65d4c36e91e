-- Why: a step of a task no longer writes every index of its row anew; what waits in review is kept in a table of its own.
set local check_function_bodies = off;

DROP INDEX "public"."tasks_review_idx";

CREATE TABLE "public"."tasks_in_review" ("task_id" uuid NOT NULL, "product_id" uuid NOT NULL, CONSTRAINT "tasks_in_review_pkey" PRIMARY KEY (task_id), "since" timestamp with time zone NOT NULL DEFAULT private.now());

ALTER TABLE "public"."tasks_in_review" ENABLE ROW LEVEL SECURITY;

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
    select 'review', w.task_id, w.product_id, w.since
    from public.tasks_in_review w
    where w.product_id = any (v_products)
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

CREATE OR REPLACE FUNCTION private.tg_tasks__note_review()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  delete from public.tasks_in_review r
  using public.tasks t
  where r.task_id = new.id and t.id = r.task_id and t.status <> 'REVIEW';
  insert into public.tasks_in_review (task_id, product_id)
  select t.id, t.product_id from public.tasks t where t.id = new.id and t.status = 'REVIEW'
  on conflict (task_id) do nothing;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION public.get_dashboard()
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_products uuid[] := array(
    select p.id from public.products p
    where p.archived_at is null and p.id in (select private.accessible_product_ids()));
  v_today timestamptz := date_trunc('day', private.now() at time zone 'UTC') at time zone 'UTC';
begin
  return json_build_object(
    'products', (
      select coalesce(json_agg(row_to_json(x) order by lower(x.name), x.id), '[]')
      from (
        select p.id, p.code, p.name, p.description, p.owner_id = auth.uid() as is_owner,
          (select count(*) from public.stories s where s.product_id = p.id and s.status = 'OPEN') as open_stories,
          (
            select row_to_json(a)
            from (
              select s.id, s.code, s.sprint_goal, s.end_date,
                (
                  select coalesce(json_agg(t.status order by st.sort_order, st.created_at, st.id, t.sort_order, t.created_at, t.id), '[]')
                  from public.tasks t join public.stories st on st.id = t.story_id
                  where st.sprint_id = s.id) as task_statuses
              from public.sprints s where s.product_id = p.id and s.status = 'ACTIVE'
            ) a
          ) as active_sprint,
          (
            select row_to_json(r)
            from (
              select r.id, lower(r.status::text) as status, r.started_at, r.created_at,
                (
                  select coalesce(json_agg(j.status order by j.position, j.id), '[]')
                  from public.agent_jobs j where j.sprint_run_id = r.id) as job_statuses
              from public.sprint_runs r
              where r.product_id = p.id and r.status in ('QUEUED', 'RUNNING', 'PAUSED')
              order by r.created_at desc
              limit 1
            ) r
          ) as run
        from public.products p
        where p.id = any (v_products)
      ) x),
    'added_to', (
      select coalesce(json_agg(json_build_object('id', p.id, 'code', p.code, 'name', p.name,
        'owner_username', private.username(p.owner_id)) order by m.created_at, p.id), '[]')
      from public.product_members m
      join public.products p on p.id = m.product_id
      where m.user_id = auth.uid() and m.role = 'MEMBER' and m.workers_decided_at is null and p.id = any (v_products)),
    'questions', (
      select coalesce(json_agg(private.question_json(q) order by q.created_at), '[]')
      from (
        select q.* from public.agent_questions q
        where q.status = 'OPEN' and q.expires_at > private.now() and q.product_id = any (v_products)
        order by q.created_at
        limit 5
      ) q),
    'reviews', (
      select coalesce(json_agg(row_to_json(t) order by t.changed_at desc), '[]')
      from (
        select t.id, t.code, t.title, p.name as product_name, t.updated_at as changed_at
        from public.tasks_in_review w
        join public.tasks t on t.id = w.task_id
        join public.products p on p.id = w.product_id
        where w.product_id = any (v_products)
        order by t.updated_at desc
        limit 5
      ) t),
    'costs_today', (
      select coalesce(json_agg(json_build_object('currency', s.currency, 'cost', s.cost) order by s.currency), '[]')
      from (
        select e.currency, round(sum(e.cost), 6) as cost
        from public.usage_events e
        where e.product_id = any (v_products) and e.created_at >= v_today and e.cost is not null
        group by e.currency
      ) s),
    'done_today', (
      select count(distinct c.task_id) from public.task_status_changes c
      where c.product_id = any (v_products) and c.changed_at >= v_today and c.to_status = 'DONE'),
    'workers_online', private.workers_online(v_products)
  );
end;
$function$;

ALTER TABLE "public"."tasks_in_review" ADD CONSTRAINT "tasks_in_review_product_id_fkey" FOREIGN KEY (product_id) REFERENCES public.products(id) ON DELETE CASCADE;

ALTER TABLE "public"."tasks_in_review" ADD CONSTRAINT "tasks_in_review_task_id_fkey" FOREIGN KEY (task_id) REFERENCES public.tasks(id) ON DELETE CASCADE;

CREATE INDEX tasks_in_review_product_id_idx ON public.tasks_in_review USING btree (product_id);

CREATE TRIGGER _555_note_review_insert AFTER INSERT ON public.tasks FOR EACH ROW WHEN ((new.status = 'REVIEW'::public.task_status)) EXECUTE FUNCTION private.tg_tasks__note_review();

CREATE TRIGGER _555_note_review_update AFTER UPDATE OF status ON public.tasks FOR EACH ROW WHEN (((old.status IS DISTINCT FROM new.status) AND (('REVIEW'::public.task_status = old.status) OR ('REVIEW'::public.task_status = new.status)))) EXECUTE FUNCTION private.tg_tasks__note_review();

CREATE POLICY "tasks_in_review_select" ON "public"."tasks_in_review" FOR SELECT TO "authenticated" USING ((product_id IN ( SELECT private.accessible_product_ids() AS accessible_product_ids)));

COMMENT ON FUNCTION "private"."tg_tasks__note_review"() IS 'Keeps tasks_in_review (specification: States and transitions, Task).';

COMMENT ON TABLE "public"."tasks_in_review" IS 'Tasks whose status is review, and since when (specification: States, Task).';

REVOKE ALL ON FUNCTION "private"."tg_tasks__note_review"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."tg_tasks__note_review"() TO "postgres";

GRANT SELECT ON TABLE "public"."tasks_in_review" TO "authenticated";

GRANT ALL ON TABLE "public"."tasks_in_review" TO "postgres";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "public"."tasks_in_review" TO "service_role";

insert into public.tasks_in_review (task_id, product_id, since)
select t.id, t.product_id, coalesce(
  (select max(c.changed_at) from public.task_status_changes c where c.task_id = t.id and c.to_status = 'REVIEW'), t.updated_at)
from public.tasks t
where t.status = 'REVIEW';
