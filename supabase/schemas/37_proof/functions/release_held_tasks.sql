-- Why: the held tasks of a proven batch become done, also if the product has lowered its requirement meanwhile.
create function private.release_held_tasks(p_sprint_run_id uuid)
returns void
language plpgsql
volatile
set search_path = ''
as $$
begin
  update public.tasks t set status = 'DONE' where t.id in (select h.id from private.held_tasks(p_sprint_run_id) h);
end;
$$;

comment on function private.release_held_tasks is 'Review to done for the tasks of a proven batch (docs/proof.md).';
