-- Called by the backlog page after a confirmation: deletes the PBI with its stories and tasks.
create function operations.delete_pbi(p_pbi_id uuid)
returns json
language plpgsql
volatile
set search_path = ''
as $$
begin
  perform private.require_write('pbi', p_pbi_id);
  delete from public.pbis b where b.id = p_pbi_id;
  return json_build_object('id', p_pbi_id);
end;
$$;

comment on function operations.delete_pbi is 'Deletes a PBI with its stories and tasks (specification: PBI).';
grant execute on function operations.delete_pbi to authenticated;
