-- Why: the caller's picture and those of people they work with. Definer: avatars are not readable by users in general;
-- it serves the caller, people who share a product with the caller, and administrators.
create function operations.get_avatar(p_user_id uuid)
returns json
language plpgsql
stable
security definer
set search_path = ''
as $$
declare
  v_avatar json;
begin
  select json_build_object('mime', u.avatar_mime, 'hex', encode(u.avatar, 'hex'), 'updated_at', u.updated_at)
  into v_avatar
  from public.users u
  where u.id = p_user_id
    and u.avatar is not null
    and (u.id = auth.uid() or private.is_admin() or exists (
      select from public.product_members mine
      join public.product_members theirs on theirs.product_id = mine.product_id
      where mine.user_id = auth.uid() and theirs.user_id = u.id));
  if not found then
    raise exception using errcode = 'PT404', message = 'No such picture.';
  end if;
  return v_avatar;
end;
$$;

comment on function operations.get_avatar is 'The picture of a user whom the caller works with.';
grant execute on function operations.get_avatar to authenticated;
