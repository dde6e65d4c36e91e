-- Why: the last step of an import: its files go to the stories and tasks of their codes, and to the comments that show them. Service only.
create function operations.place_files(p_product_id uuid, p_files jsonb)
returns json
language plpgsql
volatile
set search_path = ''
as $$
begin
  update public.files f
  set story_id = s.id, task_id = t.id,
    comment_id = case when (e ->> 'of_comment')::boolean then (
      select c.id from public.comments c
      where c.product_id = p_product_id and strpos(c.body, '/api/files/' || f.id) > 0
      order by c.created_at, c.id limit 1) end
  from jsonb_array_elements(p_files) e
  left join public.stories s on s.product_id = p_product_id and s.code = e ->> 'story'
  left join public.tasks t on t.product_id = p_product_id and t.code = e ->> 'task'
  where f.id = (e ->> 'id')::uuid and f.product_id = p_product_id;
  return json_build_object('id', p_product_id);
end;
$$;

comment on function operations.place_files is 'What the files of an import belong to. Service only.';
grant execute on function operations.place_files to service_role;
