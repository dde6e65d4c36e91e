-- The code of an item for messages; for a job, that of its task.
create function private.code_of(p_kind text, p_id uuid) returns text language sql stable set search_path = '' as $$
  select case p_kind
    when 'task' then (select t.code from public.tasks t where t.id = p_id)
    when 'story' then (select s.code from public.stories s where s.id = p_id)
    when 'pbi' then (select b.code from public.pbis b where b.id = p_id)
    when 'job' then (select t.code from private.works j join public.tasks t on t.id = j.task_id where j.id = p_id)
  end;
$$;
grant execute on function private.code_of to authenticated;

-- Only what people change can be undone; derived fields (statuses of stories, orders by code) follow by themselves. A
-- PBI's status is set by people only when BLOCKED. A new column is recorded and undone unless it is named here.
create function private.own_fields(p_kind text, p_row jsonb)
returns jsonb language sql immutable set search_path = '' as $$
  select case p_kind
    when 'task' then p_row - '{id,product_id,sort_order,repo_url_by,external_id,created_at,updated_at,version,field_versions}'::text[]
    when 'story' then p_row - '{id,product_id,status,sort_order,is_template,template_id,external_id,external_url,origin,created_at,updated_at,version,field_versions}'::text[]
    when 'pbi' then jsonb_build_object('is_blocked', p_row ->> 'status' = 'BLOCKED')
      || (p_row - '{id,product_id,status,pr_url,pr_merged_at,idea_id,is_intake,created_at,updated_at,version,field_versions}'::text[])
  end;
$$;
