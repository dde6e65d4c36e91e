-- Why: deletes a view. Refusals: 404, 403, 429. Definer: views are written by functions only.
create function operations.delete_saved_view(p_view_id uuid)
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_view public.saved_views := private.require_own_view(p_view_id);
begin
  delete from public.saved_views v where v.id = v_view.id;
  return json_build_object('id', p_view_id, 'deleted', true);
end;
$$;

comment on function operations.delete_saved_view is 'Deletes a saved view.';
grant execute on function operations.delete_saved_view to authenticated;
