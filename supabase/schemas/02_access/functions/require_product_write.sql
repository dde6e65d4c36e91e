-- Why: demo accounts and viewers only read, and archived products are read-only. Viewers may comment: p_viewer_may is
-- for that alone (private.require_commenter). Call it under the product lock, after require_product_access. Definer,
-- because it reads the caller's profile and role.
create function private.require_product_write(p_product_id uuid, p_viewer_may boolean default false)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
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
    raise exception using errcode = 'PT403',
      message = 'This product is archived and can only be read. Restore it to make changes.';
  end if;
end;
$$;

comment on function private.require_product_write is
  'PT403 for demo accounts, viewers and archived products (specification: Authentication 3, 4).';

grant execute on function private.require_product_write to authenticated;
