-- Why: saves a look under a name. Refusals: 404, 403, 429, 422, 409. Definer: views are written by functions only.
create function operations.create_saved_view(
  p_product_id uuid, p_page text, p_name text, p_look jsonb, p_shared boolean default false)
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
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

comment on function operations.create_saved_view is 'Keeps a look of backlog or board under a name, for the caller or for all members.';
grant execute on function operations.create_saved_view to authenticated;
