-- Called by the sprint pages: cancels a sprint that has not started; its stories leave it.
create function operations.cancel_sprint(p_sprint_id uuid)
returns json
language plpgsql
volatile
set search_path = ''
as $$
begin
  perform private.change_sprint_status(p_sprint_id, 'PLANNED', 'CANCELLED');
  return (select row_to_json(s) from private.sprint_shape s where s.id = p_sprint_id);
end;
$$;

comment on function operations.cancel_sprint is 'Cancels a planned sprint (specification: States and transitions, Sprint).';
grant execute on function operations.cancel_sprint to authenticated;
