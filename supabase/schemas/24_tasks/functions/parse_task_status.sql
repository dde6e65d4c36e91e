-- Why: the REST API's todo is the database's TO_DO (specification: Conventions). Null stays null.
create function private.parse_task_status(p_status text)
returns public.task_status
language plpgsql
immutable
set search_path = ''
as $$
begin
  if p_status = 'todo' then
    return 'TO_DO';
  end if;
  return upper(private.parse_choice('status', p_status, '{todo,in_progress,review,done,failed}'));
end;
$$;

comment on function private.parse_task_status is 'Database form of a REST task status (specification: Conventions).';

grant execute on function private.parse_task_status to authenticated;
