-- Why: renames a view, changes its look, or shares or unshares it. Making a shared view private makes it the caller's.
-- Refusals: 404, 403, 429, 422, 409. Definer: views are written by functions only.
create function operations.update_saved_view(p_view_id uuid, p_changes jsonb)
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
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

comment on function operations.update_saved_view is 'Changes name, look or reach of a saved view.';
grant execute on function operations.update_saved_view to authenticated;
