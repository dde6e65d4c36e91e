-- Why: an idea belongs to one user; other members of its product may not touch it. Definer, because RLS hides others'
-- ideas. Returns the idea's product.
create function private.require_own_idea(p_idea_id uuid)
returns uuid
language plpgsql
stable
security definer
set search_path = ''
as $$
declare
  v_idea public.ideas;
begin
  select i.* into v_idea from public.ideas i where i.id = p_idea_id;

  if v_idea.id is null then
    raise exception using errcode = 'PT404', message = 'No such idea.';
  end if;

  if v_idea.user_id is distinct from auth.uid() then
    raise exception using errcode = 'PT403', message = 'This idea belongs to somebody else. Ask them, or add your own.';
  end if;

  if not private.is_open_to_token(v_idea.product_id) then
    raise exception using errcode = 'PT403',
      message = 'This token is limited to other products. Use a token that includes the product of this idea.';
  end if;

  return v_idea.product_id;
end;
$$;

comment on function private.require_own_idea is
  'PT404 for an unknown idea, PT403 for one of another user (specification: Idea).';

grant execute on function private.require_own_idea to authenticated, service_role;
