-- Why: the first line of every change of a run: 404, 403, the product lock, demo and archive. Returns the current row.
create function private.lock_run(p_sprint_run_id uuid)
returns public.sprint_runs
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_product_id uuid := private.require_run(p_sprint_run_id);
  v_run public.sprint_runs;
begin
  perform private.lock_product(v_product_id);
  perform private.require_product_write(v_product_id);
  select r.* into v_run from public.sprint_runs r where r.id = p_sprint_run_id for update;
  if not found then
    perform private.refuse(404, 'No such sprint run.');
  end if;
  return v_run;
end;
$$;

comment on function private.lock_run is 'A sprint run under the product lock, for a change (specification: Sprint run).';
