-- Why: a user's new idea is a draft; only the service (import) may bring one in another state.
create function private.tg_ideas__guard_insert()
returns trigger
language plpgsql
set search_path = ''
as $$
begin
  new.status := 'DRAFT';
  new.pbi_id := null;
  return new;
end;
$$;

comment on function private.tg_ideas__guard_insert is 'New ideas are drafts (specification: Idea).';

create trigger _335_guard_insert before insert on public.ideas
  for each row when (auth.uid() is not null) execute function private.tg_ideas__guard_insert();
