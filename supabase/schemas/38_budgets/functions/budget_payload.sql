-- Why: tools that can stop themselves at an amount get it with the claim; heartbeats stop the others.
create function private.budget_payload(p_job public.agent_jobs, p_rooms private.budget_room[])
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
begin
  return jsonb_build_object('budget_left', (
    select coalesce(jsonb_agg(jsonb_build_object('unit', l.unit, 'amount', round(l.amount, 6)) order by l.unit), '[]')
    from private.budget_left(p_job, p_rooms) l));
end;
$$;

comment on function private.budget_payload is 'What a claimed job may use at most, by unit.';
