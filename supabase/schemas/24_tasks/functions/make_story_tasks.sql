-- Why: agents work on tasks, and a story that came from elsewhere may have none: one press makes one of each such story,
-- with its title and description. Stories that are done or have tasks are passed over. Returns how many were made.
create function operations.make_story_tasks(p_product_id uuid, p_story_ids jsonb)
returns json
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_made integer;
begin
  perform private.require_write('product', p_product_id);
  insert into public.tasks (story_id, title, description, priority)
  select s.id, s.title, s.description, s.priority
  from public.stories s
  where s.product_id = p_product_id and s.id in (select x::uuid from jsonb_array_elements_text(p_story_ids) x)
    and s.status <> 'DONE' and not s.is_template and not exists (select from public.tasks t where t.story_id = s.id)
  order by s.sort_order, s.created_at, s.id;
  get diagnostics v_made = row_count;
  return json_build_object('made', v_made);
end;
$$;

comment on function operations.make_story_tasks is 'One task of each open story without any (docs/users.md).';
grant execute on function operations.make_story_tasks to authenticated;
