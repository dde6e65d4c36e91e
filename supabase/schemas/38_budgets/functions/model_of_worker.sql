-- Why: which model a worker will use is not known before it does; nearly always it is the one that it used last.
create function private.model_of_worker(p_worker_id uuid)
returns text
language plpgsql
stable
set search_path = ''
as $$
begin
  return (
    select e.model_id from public.usage_events e
    where e.worker_id = p_worker_id and e.model_id is not null order by e.id desc limit 1);
end;
$$;

comment on function private.model_of_worker is 'The model that a worker used last.';
