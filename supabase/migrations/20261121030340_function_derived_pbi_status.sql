-- Why: a PBI that nobody blocked follows its stories: failed when one failed, done when all are done, else ready.
-- Definer, so that the answer never depends on what the caller may see.
create function private.derived_pbi_status(p_pbi_id uuid)
returns public.pbi_status
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_failed boolean;
  v_done boolean;
begin
  select bool_or(s.status = 'FAILED'), bool_and(s.status = 'DONE')
  into v_failed, v_done
  from public.stories s
  where s.pbi_id = p_pbi_id;

  return case when v_failed then 'FAILED' when v_done then 'DONE' else 'READY' end;
end;
$$;

comment on function private.derived_pbi_status(uuid) is
  'The status that the stories of a PBI call for (specification: States and transitions, PBI).';
