-- One task in detail, as in every answer about it.
create function private.task_json(p_task_id uuid)
returns json
language sql
stable
set search_path = ''
as $$
  select private.with_labels(row_to_json(t), k.label_ids)
  from private.task_detail_shape t
  join public.tasks k on k.id = t.id
  where t.id = p_task_id;
$$;

comment on function private.task_json is 'A task in detail, with its labels (specification: GET /api/tasks/:id).';
grant execute on function private.task_json to authenticated;
