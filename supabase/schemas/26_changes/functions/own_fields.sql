-- Why: of a row only what people change can be taken back; what is derived (the status of stories, orders that follow codes)
-- follows again by itself. A PBI's status is a person's only where it is blocked.
-- A new column is recorded by itself; private.undo_change has to name it, or undo leaves it.
create function private.own_fields(p_kind text, p_row jsonb)
returns jsonb
language sql
immutable
set search_path = ''
as $$
  select case p_kind
    when 'task' then p_row - '{id,product_id,sort_order,created_at,updated_at,version,field_versions}'::text[]
    when 'story' then p_row - '{id,product_id,status,sort_order,is_template,template_id,created_at,updated_at,version,field_versions}'::text[]
    when 'pbi' then jsonb_build_object('is_blocked', p_row ->> 'status' = 'BLOCKED')
      || (p_row - '{id,product_id,status,pr_url,pr_merged_at,idea_id,is_intake,created_at,updated_at,version,field_versions}'::text[])
  end;
$$;

comment on function private.own_fields is 'The fields of a task, story or PBI that a person changes and may take back.';
