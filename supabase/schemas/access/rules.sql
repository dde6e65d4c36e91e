-- A PBI or sprint never changes its product; its stories could not follow.
create function private.tg_any__keep_product() returns trigger language plpgsql set search_path = '' as $$
begin
  perform private.refuse(422, 'This cannot move to another product.',
    '{"issues":[{"path":"product_id","message":"The product cannot be changed."}]}');
end;
$$;

-- The service's writes hold the product lock, too. Operations hold it already (specification: States and transitions).
create function private.tg_any__lock_product() returns trigger language plpgsql set search_path = '' as $$
begin
  if tg_op = 'DELETE' then
    perform private.lock_product(old.product_id);
    return old;
  end if;

  perform private.lock_product(new.product_id);
  return new;
end;
$$;

-- A direct write to a table locks its rows before any row trigger runs, operations take the product lock first. To keep
-- one order, it first locks every product its user may write, sorted by id. Operations already hold their lock
-- (`backloom.locked_product`) and skip this. Definer: membership is under RLS (specification: States and transitions).
create function private.tg_any__lock_products()
returns trigger language plpgsql security definer set search_path = '' as $$
declare
  v_product_id uuid;
begin
  if coalesce(current_setting('backloom.locked_product', true), '') <> '' or auth.uid() is null then
    return null;
  end if;

  for v_product_id in select w.id from private.writable_product_ids() as w (id) order by w.id loop
    perform private.lock_product(v_product_id);
  end loop;
  return null;
end;
$$;

-- Under a shared product lock, a story, PBI or run is locked by itself before a status is derived from its parts. Under
-- the exclusive lock this does nothing: no other transaction can be there (specification: States and transitions).
create function private.lock_part(p_kind text, p_id uuid)
returns void language plpgsql volatile set search_path = '' as $$
begin
  if coalesce(current_setting('backloom.shared_product', true), '') <> '' then
    perform pg_advisory_xact_lock(hashtextextended(p_kind || ':' || p_id::text, 0));
  end if;
end;
$$;

-- To change a task, story, PBI, sprint, run or job, hold its product's lock, taken before reading anything that
-- the cascades depend on. The setting remembers the lock for the rest of the transaction, so that triggers of direct
-- writes know whether they still have to take it (specification: States and transitions).
create function private.lock_product(p_product_id uuid)
returns void language plpgsql volatile set search_path = '' as $$
begin
  if current_setting('backloom.locked_product', true) = p_product_id::text then
    return;
  end if;

  perform pg_advisory_xact_lock(hashtextextended('product:' || p_product_id::text, 0));
  perform set_config('backloom.locked_product', p_product_id::text, true);
end;
$$;
grant execute on function private.lock_product to authenticated, service_role;

-- An agent that does not know the existing items creates them again. An open sibling with the same title is refused
-- with its code; allow_duplicate skips this check. Called under the product lock. `p_kind` is the kind to create,
-- `p_parent_id` its parent: the product of a PBI or idea, the PBI of a story, the story of a task.
create function private.refuse_similar(p_kind text, p_parent_id uuid, p_title text)
returns void language plpgsql volatile set search_path = '' as $$
declare
  v_title text := private.normalized_title(p_title);
  v_found json;
  v_code text;
begin
  select json_build_object('kind', p_kind, 'id', x.id, 'code', x.code, 'title', x.title), x.code into v_found, v_code
  from (
    select p.id, p.code, p.title from public.pbis p
    where p_kind = 'pbi' and p.product_id = p_parent_id and p.status <> 'DONE'
    union all
    select s.id, s.code, s.title from public.stories s
    where p_kind = 'story' and s.pbi_id = p_parent_id and s.status <> 'DONE'
    union all
    select t.id, t.code, t.title from public.tasks t
    where p_kind = 'task' and t.story_id = p_parent_id and t.status <> 'DONE'
    union all
    select i.id, i.code, i.title from public.ideas i
    where p_kind = 'idea' and i.product_id = p_parent_id and i.user_id = auth.uid()
      and i.archived_at is null and i.status <> 'PLANNED'
  ) x
  where private.normalized_title(x.title) = v_title
  limit 1;
  if v_found is not null then
    perform private.refuse(409, format('%s has this title and is not done. Work with that one, or send allow_duplicate: true for another.', v_code),
      jsonb_build_object('similar_exists', v_found));
  end if;
end;
$$;
grant execute on function private.refuse_similar to authenticated;

-- A title for comparison: without case, extra spaces and punctuation at its ends.
create function private.normalized_title(p_title text) returns text language sql immutable set search_path = '' as $$
  select btrim(regexp_replace(lower(normalize(p_title, nfkc)), '\s+', ' ', 'g'), ' .,;:!?-');
$$;
grant execute on function private.normalized_title to authenticated;

-- Demo accounts and viewers only read, and archived products are read-only. Viewers may comment: p_viewer_may is
-- for that alone (private.require_commenter). Call it under the product lock, after require_product_access. Definer,
-- because it reads the caller's profile and role (specification: Authentication 3, 4).
create function private.require_product_write(p_product_id uuid, p_viewer_may boolean default false)
returns void language plpgsql volatile security definer set search_path = '' as $$
declare
  v_archived boolean;
  v_demo boolean;
  v_viewer boolean;
begin
  -- All in one statement: every write asks this.
  select p.archived_at is not null, u.is_demo, m.role = 'VIEWER' into v_archived, v_demo, v_viewer
  from public.products p
  left join public.users u on u.id = auth.uid()
  left join public.product_members m on m.product_id = p.id and m.user_id = u.id
  where p.id = p_product_id;

  if v_demo is distinct from false then
    perform private.require_no_demo();
  end if;
  if v_viewer and not p_viewer_may then
    perform private.require_no_viewer(p_product_id);
  end if;
  if v_archived then
    perform private.refuse(403, 'This product is archived and can only be read. Restore it to make changes.');
  end if;
end;
$$;
grant execute on function private.require_product_write to authenticated;

-- The first line of every write to one item: 404, 403, then the product lock, then demo and archive under the lock.
-- Definer: one look-up of product and membership. Returns the product (specification: Authentication 3, 4).
create function private.require_write(p_kind text, p_id uuid)
returns uuid language plpgsql volatile security definer set search_path = '' as $$
declare
  v_product_id uuid := private.require_access(p_kind, p_id);
begin
  perform private.lock_product(v_product_id);
  perform private.require_product_write(v_product_id);
  return v_product_id;
end;
$$;
grant execute on function private.require_write to authenticated;

-- Workers report often, and a lock is held until its change is on disk. Claims, first reports and the ends of
-- single tasks therefore share the product's lock: they run next to each other, never next to anything that cascades
-- further. They lock the rows they derive one by one, always in this order: the story, its PBI (by trigger), the run
-- (private.lock_part). All others take private.lock_product. Trap: a transaction must not go from the share to the
-- exclusive lock, as two of them would deadlock; so the share counts as the lock in `backloom.locked_product`
-- (specification: Agent job).
create function private.share_product(p_product_id uuid)
returns void language plpgsql volatile set search_path = '' as $$
begin
  if current_setting('backloom.locked_product', true) = p_product_id::text then
    return;
  end if;
  perform pg_advisory_xact_lock_shared(hashtextextended('product:' || p_product_id::text, 0));
  perform set_config('backloom.locked_product', p_product_id::text, true),
    set_config('backloom.shared_product', p_product_id::text, true);
end;
$$;

-- Who holds one product's lock waits for no other: two could deadlock (specification: States and transitions).
create function private.try_share_product(p_product_id uuid)
returns boolean language plpgsql volatile set search_path = '' as $$
begin
  if not pg_try_advisory_xact_lock_shared(hashtextextended('product:' || p_product_id::text, 0)) then
    return false;
  end if;
  perform set_config('backloom.locked_product', p_product_id::text, true),
    set_config('backloom.shared_product', p_product_id::text, true);
  return true;
end;
$$;
