-- Why: outside the database TO_DO is `todo`, every other status its lower-case form (specification: Conventions).
create function private.task_status_word(p_status public.task_status)
returns text
language plpgsql
immutable
set search_path = ''
as $$
begin
  return case p_status when 'TO_DO' then 'todo' else lower(p_status::text) end;
end;
$$;

comment on function private.task_status_word is 'Task status at the REST boundary (specification: Conventions).';
