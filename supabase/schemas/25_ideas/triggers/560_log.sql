-- Why: the page of an idea tells what happened to it (specification: Other records, idea log).
-- Definer: the log is nobody's to write.
create function private.tg_ideas__log()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
  if tg_op = 'INSERT' then
    insert into public.idea_logs (idea_id, user_id, kind) values (new.id, auth.uid(), 'CREATED');
    return null;
  end if;

  insert into public.idea_logs (idea_id, user_id, kind, content)
  select new.id, auth.uid(), e.kind, e.content
  from (
    values
      ('EDITED', '', (new.title, new.description, new.product_id) is distinct from (old.title, old.description, old.product_id)),
      ('STATUS', lower(new.status::text), new.status <> old.status and new.status <> 'PLANNED'),
      ('PROMOTED', coalesce((select b.code from public.pbis b where b.id = new.pbi_id), ''),
        new.status = 'PLANNED' and old.status <> 'PLANNED'),
      ('ARCHIVED', '', new.archived_at is not null and old.archived_at is null),
      ('RESTORED', '', new.archived_at is null and old.archived_at is not null)
  ) as e (kind, content, happened)
  where e.happened;
  return null;
end;
$$;

comment on function private.tg_ideas__log is 'Writes idea_logs (specification: Other records).';

create trigger _560_log after insert or update on public.ideas
  for each row execute function private.tg_ideas__log();
