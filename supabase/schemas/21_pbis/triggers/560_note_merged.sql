-- Why: a merged pull request brings the work of its PBI to the main branch, which frees what waits for that where the product asks for it.
-- Definer: the caller may not write jobs.
create function private.tg_pbis__note_merged()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
  if (select p.dependency_release from public.products p where p.id = new.product_id) = 'merged' then
    perform private.note_merged_requests(new.product_id, new.id, old.pr_merged_at);
  end if;
  return null;
end;
$$;

comment on function private.tg_pbis__note_merged is 'Work follows the pull request of its PBI to the main branch (docs/dependencies.md).';

create trigger _560_note_merged
after update of pr_merged_at on public.pbis
for each row when (new.pr_merged_at is distinct from old.pr_merged_at)
execute function private.tg_pbis__note_merged();
