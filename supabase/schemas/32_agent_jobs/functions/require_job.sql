-- Why: the first line of every operation on a job. Returns its product; PT404, then PT403.
create function private.require_job(p_job_id uuid)
returns uuid
language plpgsql
stable
set search_path = ''
as $$
declare
  v_product_id uuid;
begin
  select j.product_id into v_product_id from public.agent_jobs j where j.id = p_job_id;
  if v_product_id is null then
    perform private.refuse(404, 'No such agent job.');
  end if;
  perform private.require_product_access(v_product_id);
  return v_product_id;
end;
$$;

comment on function private.require_job is 'The product of a job that the caller may read (specification: Errors).';
