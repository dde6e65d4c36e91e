create trigger _140_take_rate_limit before insert on public.ideas
  for each row execute function private.tg_any__take_rate_limit('idea');
create trigger _145_compose_title before insert or update of title on public.ideas
  for each row when (new.title is not nfc normalized) execute function private.tg_any__compose_title();
create trigger _150_assign_code before insert on public.ideas
  for each row execute function private.tg_any__assign_code('idea');

-- Only forward, in any steps. Only promotion reaches PLANNED, and sets the PBI with it (specification: States, Idea).
create function private.tg_ideas__guard_status() returns trigger language plpgsql set search_path = '' as $$
begin
  if new.status < old.status then
    perform private.refuse(409, format('An idea only moves forward: this one is already %s.', lower(old.status::text)));
  end if;

  if new.status = 'PLANNED' and new.pbi_id is null then
    perform private.refuse(422, 'To plan an idea, promote it to a PBI.', '{"issues":[{"path":"status","message":"Promote the idea instead."}]}');
  end if;

  return new;
end;
$$;
create trigger _330_guard_status before update on public.ideas
  for each row when (new.status <> old.status) execute function private.tg_ideas__guard_status();

-- A user's new idea is always a draft; only the service (import) creates one in another state (specification: Idea).
create function private.tg_ideas__guard_insert() returns trigger language plpgsql set search_path = '' as $$
begin
  new.status := 'DRAFT';
  new.pbi_id := null;
  return new;
end;
$$;
create trigger _335_guard_insert before insert on public.ideas
  for each row when (auth.uid() is not null) execute function private.tg_ideas__guard_insert();
create trigger _400_touch before update on public.ideas
  for each row execute function private.tg_any__touch();

-- The page of an idea shows its history. Definer: users may not write the log.
create function private.tg_ideas__log() returns trigger language plpgsql security definer set search_path = '' as $$
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
create trigger _560_log after insert or update on public.ideas
  for each row execute function private.tg_ideas__log();

-- An idea belongs to one user, so only that user gets its events (specification: Idea).
create trigger _900_emit after insert or update or delete on public.ideas for each row
  execute function private.tg_any__emit('idea', '{user:user_id}', '{"idea_id": "id", "status": "status"}');
create trigger _940_limit_rows after insert on public.ideas
  referencing new table as added
  for each statement execute function private.tg_any__limit_rows('user_id', '10000', 'ideas of this account, which is the limit. Use one that you have archived for the new one.');

-- The idea's log records when a further product is linked or unlinked. Definer: users may not write the log. A
-- link deleted with its idea or product is not logged (specification: Idea).
create function private.tg_idea_products__log()
returns trigger language plpgsql security definer set search_path = '' as $$
declare
  v_row public.idea_products := case when tg_op = 'DELETE' then old else new end;
begin
  insert into public.idea_logs (idea_id, user_id, kind, content)
  select i.id, auth.uid(), case when tg_op = 'DELETE' then 'UNLINKED' else 'LINKED' end, p.code
  from public.ideas i, public.products p
  where i.id = v_row.idea_id and p.id = v_row.product_id;
  return null;
end;
$$;
create trigger _565_log after insert or delete on public.idea_products
  for each row execute function private.tg_idea_products__log();
