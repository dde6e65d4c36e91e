-- The one look-up of product access. Definer: product_members' policy uses it too (specification: Authentication 4).
create function private.accessible_product_ids()
returns setof uuid language plpgsql stable security definer set search_path = '' as $$
begin
  return query select m.product_id from public.product_members m where m.user_id = auth.uid() and private.is_open_to_token(m.product_id);
end;
$$;
grant execute on function private.accessible_product_ids to authenticated, service_role;

-- For policies of rows that belong to a user, not to a product. Such a row is frozen only while the caller reaches
-- its product but may not change it (archived, or as a viewer). A product the caller has left freezes nothing. Definer
-- for the same reason as accessible_product_ids (specification: Authentication 4).
create function private.frozen_product_ids()
returns setof uuid language plpgsql stable security definer set search_path = '' as $$
begin
  return query
    select m.product_id
    from public.product_members m
    join public.products p on p.id = m.product_id
    where m.user_id = auth.uid() and (p.archived_at is not null or m.role = 'VIEWER');
end;
$$;
grant execute on function private.frozen_product_ids to authenticated, service_role;

-- The demo flag is read on every request, never from a token or cookie. Definer, because users may not read profiles. A
-- caller without a profile counts as demo: no one writes without an account (specification: Authentication 3).
create function private.is_demo() returns boolean language plpgsql stable security definer set search_path = '' as $$
begin
  return coalesce((select u.is_demo from public.users u where u.id = auth.uid()), true);
end;
$$;
grant execute on function private.is_demo to authenticated, service_role;

-- A token may be limited to some of its user's products; call_as sets which, for the transaction. Every check of
-- membership also checks this. Sessions and unlimited tokens reach all products of their user (docs/oauth.md).
create function private.is_open_to_token(p_product_id uuid)
returns boolean language plpgsql stable set search_path = '' as $$
declare
  v_products text := coalesce(current_setting('backloom.token_products', true), '');
begin
  return v_products = '' or p_product_id = any (v_products::uuid[]);
end;
$$;
grant execute on function private.is_open_to_token to authenticated, service_role;

-- For data that is hidden while a product is archived. Viewers read it like other members. Definer for the same
-- reason as accessible_product_ids (specification: Authentication 4).
create function private.open_product_ids()
returns setof uuid language plpgsql stable security definer set search_path = '' as $$
begin
  return query
    select m.product_id
    from public.product_members m
    join public.products p on p.id = m.product_id
    where m.user_id = auth.uid() and p.archived_at is null and private.is_open_to_token(m.product_id);
end;
$$;
grant execute on function private.open_product_ids to authenticated, service_role;

-- Only the owner changes settings, archive and members. Definer: these are under RLS (specification: Authentication 4).
create function private.owned_product_ids()
returns setof uuid language plpgsql stable security definer set search_path = '' as $$
begin
  return query
    select m.product_id from public.product_members m where m.user_id = auth.uid() and m.role = 'OWNER'
      and private.is_open_to_token(m.product_id);
end;
$$;
grant execute on function private.owned_product_ids to authenticated, service_role;

-- Every operation on a part of a product first needs its product. Definer, because under RLS an unknown id (404)
-- looks the same as one of a foreign product (403, decided by the caller of this function) (specification: Errors).
create function private.product_of(p_kind text, p_id uuid)
returns uuid language plpgsql stable security definer set search_path = '' as $$
declare
  v_product_id uuid;
begin
  case p_kind
    when 'task' then
      select t.product_id into v_product_id from public.tasks t where t.id = p_id;
    when 'story' then
      select s.product_id into v_product_id from public.stories s where s.id = p_id;
    when 'pbi' then
      select b.product_id into v_product_id from public.pbis b where b.id = p_id;
    when 'sprint' then
      select s.product_id into v_product_id from public.sprints s where s.id = p_id;
    when 'product' then
      select p.id into v_product_id from public.products p where p.id = p_id;
    when 'lesson' then
      select l.product_id into v_product_id from public.lessons l where l.id = p_id;
    when 'landing' then
      select l.product_id into v_product_id from public.landings l where l.id = p_id;
    when 'issue note' then
      select n.product_id into v_product_id from public.issue_notes n where n.id = p_id;
    when 'upkeep' then
      select u.product_id into v_product_id from public.upkeeps u where u.id = p_id;
  end case;

  if v_product_id is null then
    perform private.refuse_unknown(p_kind);
  end if;

  return v_product_id;
end;
$$;
grant execute on function private.product_of to authenticated;

-- First in every read of one item: 404, then 403. Returns its product (specification: Authentication 4, Errors).
create function private.require_access(p_kind text, p_id uuid)
returns uuid language plpgsql stable set search_path = '' as $$
declare
  v_product_id uuid := private.product_of(p_kind, p_id);
begin
  perform private.require_product_access(v_product_id);
  return v_product_id;
end;
$$;
grant execute on function private.require_access to authenticated;

-- Demo accounts write nothing, on any path. Policies refuse too, without a message (specification: Authentication 3).
create function private.require_no_demo() returns void language plpgsql stable set search_path = '' as $$
begin
  if private.is_demo() then
    perform private.refuse(403, 'This is a demo account: it can look at everything and change nothing. Register an account of your own to make changes.');
  end if;
end;
$$;
grant execute on function private.require_no_demo to authenticated;

-- A viewer reads everything and may comment, but changes nothing. Definer: under RLS (specification: Authentication 4).
create function private.require_no_viewer(p_product_id uuid)
returns void language plpgsql stable security definer set search_path = '' as $$
begin
  if exists (
    select from public.product_members m
    where m.product_id = p_product_id and m.user_id = auth.uid() and m.role = 'VIEWER'
  ) then
    perform private.refuse(403, 'You are a viewer of this product: you can read everything and comment, but change nothing. Ask its owner to make you a member.');
  end if;
end;
$$;
grant execute on function private.require_no_viewer to authenticated;

-- Refuses in the contract's order: 404 for an unknown product, 403 for one the caller may not use. Definer,
-- because RLS hides the difference between the two (specification: Authentication 4).
create function private.require_product_access(p_product_id uuid)
returns void language plpgsql stable security definer set search_path = '' as $$
declare
  v_member boolean;
begin
  select exists (select from public.product_members m where m.product_id = p.id and m.user_id = auth.uid())
  into v_member
  from public.products p
  where p.id = p_product_id;

  if v_member is null then
    perform private.refuse_unknown('product');
  end if;

  if not v_member then
    perform private.refuse(403, 'You have no access to this product. Ask its owner to add you as a member.');
  end if;

  if not private.is_open_to_token(p_product_id) then
    perform private.refuse(403, 'This token is limited to other products. Use a token that includes this product.');
  end if;
end;
$$;
grant execute on function private.require_product_access to authenticated;

-- Only the owner changes settings, members and archive. Definer: these are under RLS (specification: Authentication 4).
create function private.require_product_owner(p_product_id uuid)
returns void language plpgsql stable security definer set search_path = '' as $$
begin
  perform private.require_product_access(p_product_id);

  if not exists (
    select from public.product_members m
    where m.product_id = p_product_id and m.user_id = auth.uid() and m.role = 'OWNER'
  ) then
    perform private.refuse(403, 'Only the owner of the product can do this. Ask them.');
  end if;
end;
$$;
grant execute on function private.require_product_owner to authenticated;

-- A worker has no one product: checks that its user may write at all. Returns them (specification: Authentication 3).
create function private.require_writer() returns uuid language plpgsql stable set search_path = '' as $$
declare
  v_user_id uuid := auth.uid();
begin
  if v_user_id is null then
    perform private.refuse(401, 'Not signed in: send an API token.');
  end if;
  perform private.require_no_demo();
  return v_user_id;
end;
$$;

-- For policies of writes. Definer as accessible_product_ids. Archived products are read-only, and so is every product
-- for its viewers; the messages of operations for them are in require_product_write (specification: Authentication 4).
create function private.writable_product_ids()
returns setof uuid language plpgsql stable security definer set search_path = '' as $$
begin
  return query
    select m.product_id
    from public.product_members m
    join public.products p on p.id = m.product_id
    where m.user_id = auth.uid() and m.role <> 'VIEWER' and p.archived_at is null and private.is_open_to_token(m.product_id);
end;
$$;
grant execute on function private.writable_product_ids to authenticated, service_role;
