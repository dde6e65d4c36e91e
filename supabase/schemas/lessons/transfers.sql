-- A step of an import, once its tasks are there. The counts of a lesson are kept, and go on from here. A lesson
-- accepted elsewhere is a proposal here, unless the operator trusts the file. Service only.
create function operations.import_lessons(p_product_id uuid, p_lessons jsonb, p_trust boolean default false)
returns json language plpgsql volatile set search_path = '' as $$
begin
  perform private.lock_product(p_product_id);
  perform private.insert_rows('public.lessons', (
    select jsonb_agg(e.lesson || case when e.lesson ->> 'status' = 'accepted' and not p_trust
        then '{"status":"proposed","accepted_by":null}' else '{}' end::jsonb
      || jsonb_build_object('product_id', p_product_id, 'text', private.lesson_text(e.lesson ->> 'text'),
      'task_id', (select t.id from public.tasks t where t.product_id = p_product_id and t.code = e.lesson ->> 'task'),
      'label_ids', to_jsonb(private.label_ids_named(p_product_id, e.lesson -> 'labels')),
      'since', case when e.lesson ->> 'status' = 'retired' or (e.lesson ->> 'status' = 'accepted' and p_trust) then coalesce(e.lesson ->> 'since', private.now()::text) end,
      'counted_from', private.now(), 'created_at', coalesce(e.lesson ->> 'created_at', private.now()::text)) order by e.place)
    from jsonb_array_elements(p_lessons) with ordinality e (lesson, place)));
  return json_build_object('id', p_product_id);
end;
$$;
grant execute on function operations.import_lessons, private.lesson_text, private.effect_since, private.lesson_effect to service_role;
