-- Why: the first line of every change of a view. Somebody else's private view is 404.
-- Definer: under RLS a view of a foreign product would look like a missing one.
create function private.require_own_view(p_view_id uuid)
returns public.saved_views
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_view public.saved_views;
begin
  select v.* into v_view
  from public.saved_views v
  where v.id = p_view_id and (v.user_id is null or v.user_id = auth.uid());
  if not found then
    perform private.refuse(404, 'No such view.');
  end if;
  perform private.require_write('product', v_view.product_id);
  if not private.may_change_view(v_view) then
    perform private.refuse(403, 'Only the person who saved a shared view and the owner of the product can change it. Save your own view instead.');
  end if;
  perform private.take_rate_limit('saved_view', auth.uid()::text);
  -- Anew, under the lock.
  select v.* into v_view from public.saved_views v where v.id = p_view_id;
  if not found then
    perform private.refuse(404, 'No such view.');
  end if;
  return v_view;
end;
$$;

comment on function private.require_own_view is 'The view that the caller may change, its product locked; PT404, PT403, PT429.';
