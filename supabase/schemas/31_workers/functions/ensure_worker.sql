-- Why: a worker needs no registration: its first word makes its row. Takes no lock on a row that is already there, because
-- a product lock may still follow.
create function private.ensure_worker(p_user_id uuid, p_name text)
returns public.agent_workers
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_worker public.agent_workers;
begin
  if coalesce(char_length(p_name), 0) not between 1 and 100 then
    perform private.refuse(422, 'worker takes a name of 1 to 100 characters. Keep the same name across restarts.');
  end if;
  select w.* into v_worker from public.agent_workers w where w.user_id = p_user_id and w.name = p_name;
  if found then
    return v_worker;
  end if;
  insert into public.agent_workers (user_id, name) values (p_user_id, p_name)
  on conflict (user_id, name) do nothing;
  select w.* into v_worker from public.agent_workers w where w.user_id = p_user_id and w.name = p_name;
  return v_worker;
end;
$$;

comment on function private.ensure_worker is 'The presence row of a worker by user and name (specification: Agent worker).';
