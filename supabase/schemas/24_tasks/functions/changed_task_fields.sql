-- Why: most updates of a task change its status alone, two with every job. Where it differs in nothing else, that is found without
-- writing its row as JSON twice.
create function private.changed_task_fields(p_old public.tasks, p_new public.tasks)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  v_rest public.tasks := p_new;
begin
  v_rest.status := p_old.status;
  v_rest.updated_at := p_old.updated_at;
  v_rest.version := p_old.version;
  v_rest.field_versions := p_old.field_versions;
  if v_rest is distinct from p_old then
    return private.changed_fields(to_jsonb(p_old), to_jsonb(p_new));
  end if;
  return case when p_new.status is distinct from p_old.status then '["status"]' else '[]' end;
end;
$$;

comment on function private.changed_task_fields is
  'Names of the columns in which two versions of a task differ, as private.changed_fields finds them (specification: Solo stream, changed_fields).';
