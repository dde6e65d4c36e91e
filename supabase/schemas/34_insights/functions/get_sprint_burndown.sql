-- Why: the sprint page shows the burn-down beside the board. Definer: reads the history without checking row level
-- security for each change; access is checked first. Called by get_sprint_board.
create function private.get_sprint_burndown(p_sprint_id uuid)
returns jsonb
language plpgsql
stable
security definer
set search_path = ''
as $$
declare
  v_sprint public.sprints;
begin
  perform private.require_access('sprint', p_sprint_id);
  select s.* into v_sprint from public.sprints s where s.id = p_sprint_id;
  return private.burndown(v_sprint);
end;
$$;

comment on function private.get_sprint_burndown is 'Burn-down of one sprint for its page (specification: Sprint).';

grant execute on function private.get_sprint_burndown to authenticated;
