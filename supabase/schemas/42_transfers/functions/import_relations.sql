-- Why: the last step of import_backlog. Only dependencies of what is new, and on what is new: those between older items
-- may have been removed since. A task and a story cannot wait for one another, so the task's story does. Impossible
-- ones are answered with the reason.
create function private.import_relations(p_product_id uuid, p_pbis jsonb, p_new text[])
returns jsonb
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_edge record;
  v_count integer := 0;
  v_impossible jsonb := '[]';
  v_reason text;
begin
  for v_edge in
    with items as (
      select s.story as item from jsonb_array_elements(p_pbis) b (pbi)
      cross join lateral jsonb_array_elements(b.pbi -> 'stories') s (story)
    ), edges as (
      select i.item ->> 'external_id' as blocked, w.id as blocker
      from (select item from items union all select jsonb_array_elements(item -> 'tasks') from items) i
      cross join lateral jsonb_array_elements_text(i.item -> 'blocked_by') w (id)
    ), ends as (
      select external_id, id as story_id, null::uuid as task_id from public.stories where product_id = p_product_id
      union all
      select external_id, story_id, id from public.tasks where product_id = p_product_id
    )
    select e.blocked, e.blocker, o.story_id, o.task_id, w.story_id as awaited_story_id, w.task_id as awaited_task_id
    from edges e
    left join ends o on o.external_id = e.blocked
    left join ends w on w.external_id = e.blocker
    where e.blocked = any (p_new) or e.blocker = any (p_new)
    order by e.blocked, e.blocker
    -- As many as app/contract/import.ts lets through: each looks for circles.
    limit 2000
  loop
    v_reason := case
      when v_edge.story_id is null or v_edge.awaited_story_id is null then 'Dependencies on what is not imported'
      when v_edge.story_id = v_edge.awaited_story_id and num_nulls(v_edge.task_id, v_edge.awaited_task_id) > 0
        then 'Dependencies between a story and its own part' end;
    if v_reason is null then
      begin
        if num_nulls(v_edge.task_id, v_edge.awaited_task_id) = 0 then
          perform private.insert_dependency('task', p_product_id, v_edge.task_id, v_edge.awaited_task_id);
        else
          perform private.insert_dependency('story', p_product_id, v_edge.story_id, v_edge.awaited_story_id);
        end if;
        v_count := v_count + 1;
      exception when sqlstate 'PT409' then
        v_reason := 'Dependencies that close a circle';
      when sqlstate 'PT422' then
        v_reason := 'Dependencies on itself, or on more than 100 others';
      end;
    end if;
    if v_reason is not null then
      v_impossible := v_impossible || jsonb_build_object('reason', v_reason, 'name',
        concat(regexp_replace(v_edge.blocked, '^[^:]*:', ''), ' on ', regexp_replace(v_edge.blocker, '^[^:]*:', '')));
    end if;
  end loop;
  return jsonb_build_object('dependencies', v_count, 'impossible', v_impossible);
end;
$$;

comment on function private.import_relations is 'The dependencies that an import brings, and those it cannot.';
