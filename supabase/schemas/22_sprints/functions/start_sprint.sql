-- Called by the sprint pages and the MCP tool start_sprint. At most one sprint of a product is active (409 otherwise).
create function operations.start_sprint(p_sprint_id uuid)
returns json
language plpgsql
volatile
set search_path = ''
as $$
begin
  perform private.change_sprint_status(p_sprint_id, 'PLANNED', 'ACTIVE');
  return (select row_to_json(s) from private.sprint_shape s where s.id = p_sprint_id);
end;
$$;

comment on function operations.start_sprint is 'Starts a planned sprint (specification: States and transitions, Sprint).';
grant execute on function operations.start_sprint to authenticated;
