-- Why: the first line of every operation on a run. Returns its product; PT404, then PT403.
create function private.require_run(p_sprint_run_id uuid)
returns uuid
language plpgsql
stable
set search_path = ''
as $$
declare
  v_product_id uuid;
begin
  select r.product_id into v_product_id from public.sprint_runs r where r.id = p_sprint_run_id;
  if v_product_id is null then
    perform private.refuse(404, 'No such sprint run.');
  end if;
  perform private.require_product_access(v_product_id);
  return v_product_id;
end;
$$;

comment on function private.require_run is 'The product of a sprint run that the caller may read (specification: Errors).';
