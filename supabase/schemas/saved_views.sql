-- A person can save the filter and layout of a backlog or board under a name, for themselves or for all members. A
-- look is what the page's address contains: filter, groups, layout and what cards hide.
-- user_id     whose view it is; null when all members see it
-- created_by  its creator; may change a shared view, like the product's owner
create table public.saved_views (
  id uuid primary key default gen_random_uuid(),
  product_id uuid not null references public.products (id) on delete cascade,
  user_id uuid references public.users (id) on delete cascade,
  created_by uuid references public.users (id) on delete set null,
  page text not null constraint saved_views_page_known check (page in ('backlog', 'board')),
  name text not null
    constraint saved_views_name_form check (name <> '' and char_length(name) <= 60 and name = btrim(name) and name !~ '[[:cntrl:]]'),
  look jsonb not null constraint saved_views_look_form check (jsonb_typeof(look) = 'object' and octet_length(look::text) <= 4000),
  created_at timestamptz not null default private.now(),
  updated_at timestamptz not null default private.now()
);

comment on table public.saved_views is 'Saved filters and layouts of backlog and board, each for one person or for all members.';
create unique index saved_views_one_name on public.saved_views (product_id, page, user_id, lower(name)) nulls not distinct;
create index saved_views_user_id_idx on public.saved_views (user_id);
create index saved_views_created_by_idx on public.saved_views (created_by);

alter table public.saved_views enable row level security;

create policy saved_views_select on public.saved_views for select to authenticated
  using (
    product_id in (select private.accessible_product_ids())
    and (user_id is null or user_id = (select auth.uid()))
  );
grant select on public.saved_views to authenticated;

create trigger _400_touch before update on public.saved_views for each row execute function private.tg_any__touch();
create trigger _940_limit_rows after insert on public.saved_views
  referencing new table as added
  for each statement execute function private.tg_any__limit_rows('product_id', '1000', 'views of this product, which is the limit. Delete some that are not needed.');

-- Saves a look under a name. Refusals: 404, 403, 429, 422, 409. Definer: views are written by functions only.
create function operations.create_saved_view(
  p_product_id uuid, p_page text, p_name text, p_look jsonb, p_shared boolean default false
) returns json language plpgsql volatile security definer set search_path = '' as $$
declare
  v_user_id uuid := case when not coalesce(p_shared, false) then auth.uid() end;
  v_page text;
  v_view public.saved_views;
begin
  perform private.require_write('product', p_product_id);
  perform private.take_rate_limit('saved_view', auth.uid()::text);
  v_page := lower(private.require_choice('page', p_page, array['BACKLOG', 'BOARD']));
  insert into public.saved_views (product_id, user_id, created_by, page, name, look)
  values (p_product_id, v_user_id, auth.uid(), v_page,
    private.require_view_name(p_product_id, v_page, v_user_id, p_name, null), private.require_look(p_look))
  returning * into v_view;
  return private.saved_view_json(v_view);
end;
$$;
grant execute on function operations.create_saved_view to authenticated;

-- Deletes a view. Refusals: 404, 403, 429. Definer: views are written by functions only.
create function operations.delete_saved_view(p_view_id uuid)
returns json language plpgsql volatile security definer set search_path = '' as $$
declare
  v_view public.saved_views := private.require_own_view(p_view_id);
begin
  delete from public.saved_views v where v.id = v_view.id;
  return json_build_object('id', p_view_id, 'deleted', true);
end;
$$;
grant execute on function operations.delete_saved_view to authenticated;

-- Renames a view, changes its look, or shares or unshares it. Making a shared view private makes it the caller's.
-- Refusals: 404, 403, 429, 422, 409. Definer: views are written by functions only.
create function operations.update_saved_view(p_view_id uuid, p_changes jsonb)
returns json language plpgsql volatile security definer set search_path = '' as $$
declare
  v_view public.saved_views := private.require_own_view(p_view_id);
  v_was_shared boolean := v_view.user_id is null;
  v_shared boolean := coalesce((p_changes ->> 'shared')::boolean, v_was_shared);
  v_name text;
begin
  if v_shared <> v_was_shared then
    v_view.user_id := case when not v_shared then auth.uid() end;
  end if;
  v_name := private.require_view_name(
    v_view.product_id, v_view.page, v_view.user_id, coalesce(p_changes ->> 'name', v_view.name), v_view.id);
  update public.saved_views v
  set name = v_name, user_id = v_view.user_id,
      look = case when p_changes ? 'look' then private.require_look(p_changes -> 'look') else v.look end
  where v.id = p_view_id
  returning v.* into v_view;
  return private.saved_view_json(v_view);
end;
$$;
grant execute on function operations.update_saved_view to authenticated;

-- A look holds only what a page's address may hold. Returns it without empty values.
create function private.require_look(p_look jsonb) returns jsonb language plpgsql volatile set search_path = '' as $$
declare
  v_known text[] := '{q,status,sprint,done,group,as,dense,hide,fold}';
begin
  if jsonb_typeof(p_look) is distinct from 'object' or p_look - v_known <> '{}' then
    perform private.refuse(422, 'look can contain q, status, sprint, done, group, as, dense, hide and fold.');
  end if;
  if exists (
    select from jsonb_each(p_look) e
    where jsonb_typeof(e.value) <> 'string' or char_length(e.value #>> '{}') > case e.key when 'fold' then 1000 else 200 end
  ) then
    perform private.refuse(422, 'Each part of look is a text of at most 200 characters, fold of at most 1000.');
  end if;
  return (select coalesce(jsonb_object_agg(e.key, e.value), '{}') from jsonb_each(p_look) e where e.value <> '""');
end;
$$;

-- First in every change. Another's private view is 404. Definer: under RLS a foreign product's would look missing.
create function private.require_own_view(p_view_id uuid)
returns public.saved_views language plpgsql volatile security definer set search_path = '' as $$
declare
  v_view public.saved_views;
begin
  select v.* into v_view
  from public.saved_views v
  where v.id = p_view_id and (v.user_id is null or v.user_id = auth.uid());
  if not found then
    perform private.refuse(404, 'No such view. It may have been deleted: list the views of the product.');
  end if;
  perform private.require_write('product', v_view.product_id);
  if not private.may_change_view(v_view) then
    perform private.refuse(403, 'Only the person who saved a shared view and the owner of the product can change it. Save your own view instead.');
  end if;
  perform private.take_rate_limit('saved_view', auth.uid()::text);
  -- Anew, under the lock.
  select v.* into v_view from public.saved_views v where v.id = p_view_id;
  if not found then
    perform private.refuse(404, 'No such view. It may have been deleted: list the views of the product.');
  end if;
  return v_view;
end;
$$;

-- People find a view by its name, so it is unique among the shared views of a page, and among each person's own.
-- Under the product lock, so that two concurrent calls cannot take the same name.
create function private.require_view_name(p_product_id uuid, p_page text, p_user_id uuid, p_name text, p_except uuid)
returns text language plpgsql volatile set search_path = '' as $$
declare
  v_name text := btrim(p_name);
  v_others integer;
begin
  if coalesce(v_name, '') = '' or char_length(v_name) > 60 or v_name ~ '[[:cntrl:]]' then
    perform private.refuse(422, 'The name of a view is one line of 1 to 60 characters.');
  end if;
  if exists (
    select from public.saved_views v
    where v.product_id = p_product_id and v.page = p_page and v.user_id is not distinct from p_user_id
      and lower(v.name) = lower(v_name) and v.id is distinct from p_except
  ) then
    perform private.refuse(409, format('A view named "%s" already exists. Change that one, or choose another name.', private.one_line(v_name)));
  end if;
  select count(*) into v_others
  from public.saved_views v
  where v.product_id = p_product_id and v.user_id is not distinct from p_user_id and v.id is distinct from p_except;
  if v_others >= 50 then
    perform private.refuse(409, 'A product can have 50 shared views, and each member 50 of their own. Delete one first.');
  end if;
  return v_name;
end;
$$;

-- The caller's own and the shared views of a product, of one page or of all.
create function operations.list_saved_views(p_product_id uuid, p_page text default null)
returns json language plpgsql stable set search_path = '' as $$
begin
  perform private.require_access('product', p_product_id);
  return json_build_object('views', private.saved_views_of(p_product_id, p_page));
end;
$$;
grant execute on function operations.list_saved_views to authenticated;

-- Pages read their views together with their other data. Definer: the caller has checked access to the product.
create function private.saved_views_of(p_product_id uuid, p_page text)
returns json language plpgsql stable security definer set search_path = '' as $$
begin
  return (
    select coalesce(json_agg(private.saved_view_json(v) order by v.user_id is null, lower(v.name), v.id), '[]')
    from public.saved_views v
    where v.product_id = p_product_id and (p_page is null or v.page = p_page)
      and (v.user_id is null or v.user_id = auth.uid()));
end;
$$;
grant execute on function private.saved_views_of to authenticated;

-- Says whether the caller may change the view, so that no page needs the rule. Definer: reads the caller's membership.
create function private.saved_view_json(p_view public.saved_views)
returns json language plpgsql stable security definer set search_path = '' as $$
begin
  return json_build_object(
    'id', p_view.id, 'product_id', p_view.product_id, 'page', p_view.page, 'name', p_view.name, 'look', p_view.look,
    'shared', p_view.user_id is null, 'may_change', private.may_change_view(p_view), 'created_at', p_view.created_at,
    'updated_at', p_view.updated_at);
end;
$$;

-- A private view: its user; a shared one: its creator and the product's owner. Definer: reads the caller's membership.
create function private.may_change_view(p_view public.saved_views)
returns boolean language plpgsql stable security definer set search_path = '' as $$
begin
  return coalesce(p_view.user_id = auth.uid() or p_view.created_by = auth.uid(), false) or exists (
    select from public.product_members m
    where m.product_id = p_view.product_id and m.user_id = auth.uid() and m.role = 'OWNER');
end;
$$;
