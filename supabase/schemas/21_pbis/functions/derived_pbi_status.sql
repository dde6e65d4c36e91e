-- Why: a PBI that is not blocked follows its stories: failed when one failed, done when all are done, else ready.
-- Stories in triage do not count yet. Each check is one look into a partial index, however many stories there are.
-- Definer, so that the answer never depends on what the caller may see.
create function private.derived_pbi_status(p_pbi_id uuid)
returns public.pbi_status
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  if exists (select from public.stories s where s.pbi_id = p_pbi_id and s.status = 'FAILED') then
    return 'FAILED';
  end if;
  if exists (select from public.stories s where s.pbi_id = p_pbi_id and s.status <> 'DONE' and not s.in_triage)
    or not exists (select from public.stories s where s.pbi_id = p_pbi_id and not s.in_triage) then
    return 'READY';
  end if;
  return 'DONE';
end;
$$;

comment on function private.derived_pbi_status is
  'The status that the stories of a PBI call for (specification: States and transitions, PBI).';
