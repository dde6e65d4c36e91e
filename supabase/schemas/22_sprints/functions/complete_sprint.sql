-- Called by the sprint pages: completes a sprint by hand; unfinished stories leave it.
create function operations.complete_sprint(p_sprint_id uuid)
returns json
language plpgsql
volatile
set search_path = ''
as $$
begin
  perform private.change_sprint_status(p_sprint_id, 'ACTIVE', 'COMPLETED');
  return (select row_to_json(s) from private.sprint_shape s where s.id = p_sprint_id);
end;
$$;

comment on function operations.complete_sprint is
  'Completes the active sprint (specification: States and transitions, Sprint).';
grant execute on function operations.complete_sprint to authenticated;
