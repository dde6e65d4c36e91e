-- Why: what is said of work, such as that it was merged, also holds for work whose job was deleted. PT404, PT403, then
-- the product lock.
create function private.lock_work(p_job_id uuid)
returns private.works
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_work private.works;
begin
  select w.* into v_work from private.works w where w.id = p_job_id;
  if not found then
    perform private.refuse(404, 'No such agent job.');
  end if;
  perform private.require_product_access(v_work.product_id);
  perform private.lock_product(v_work.product_id);
  perform private.require_product_write(v_work.product_id);
  select w.* into v_work from private.works w where w.id = p_job_id;
  return v_work;
end;
$$;

comment on function private.lock_work is 'The work of a job under the product lock, for a change.';
