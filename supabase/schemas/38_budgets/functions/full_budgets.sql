-- Why: the budgets under which no job may begin, from those that a claim weighed; null for a product without budgets.
create function private.full_budgets(p_rooms private.budget_room[])
returns uuid[]
language plpgsql
immutable
set search_path = ''
as $$
begin
  return case when p_rooms is not null then array(select r.budget_id from unnest(p_rooms) r where r.is_full) end;
end;
$$;

comment on function private.full_budgets is 'The budgets under which nobody may begin.';
