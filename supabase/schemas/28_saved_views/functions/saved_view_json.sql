-- Why: one form of a view in every answer. It says whether the caller may change it, so that no page needs the rule.
-- Definer: reads the caller's membership.
create function private.saved_view_json(p_view public.saved_views)
returns json
language plpgsql
stable
security definer
set search_path = ''
as $$
begin
  return json_build_object(
    'id', p_view.id, 'product_id', p_view.product_id, 'page', p_view.page, 'name', p_view.name, 'look', p_view.look,
    'shared', p_view.user_id is null, 'may_change', private.may_change_view(p_view), 'created_at', p_view.created_at,
    'updated_at', p_view.updated_at);
end;
$$;

comment on function private.saved_view_json is 'A saved view as answers show it.';
