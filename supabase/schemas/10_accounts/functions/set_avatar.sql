-- Why: a picture of at most 1 MiB, stored with the profile (PNG, JPEG, WebP or GIF; the app has checked its content,
-- and the first bytes are checked here again). Null removes it. Hex, because JSON has no bytes.
-- Definer: users may not write profiles directly; it touches only the caller's row.
create function operations.set_avatar(p_mime text default null, p_hex text default null)
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_bytes bytea;
  v_mime text;
begin
  perform private.require_no_demo();
  perform private.take_rate_limit('avatar', auth.uid()::text);
  if p_hex is not null then
    v_bytes := decode(p_hex, 'hex');
    v_mime := case
      when substring(v_bytes from 1 for 8) = '\x89504e470d0a1a0a' then 'image/png'
      when substring(v_bytes from 1 for 3) = '\xffd8ff' then 'image/jpeg'
      when substring(v_bytes from 1 for 4) = '\x52494646' and substring(v_bytes from 9 for 4) = '\x57454250' then 'image/webp'
      when substring(v_bytes from 1 for 6) in ('\x474946383761', '\x474946383961') then 'image/gif'
    end;
    if octet_length(v_bytes) > 1048576 or v_mime is null or p_mime is distinct from v_mime then
      raise exception using errcode = 'PT422', message = 'Use a PNG, JPEG, WebP or GIF picture of at most 1 MiB.';
    end if;
  end if;
  update public.users set avatar = v_bytes, avatar_mime = v_mime, updated_at = private.now() where id = auth.uid();
  return json_build_object('has_avatar', v_bytes is not null);
end;
$$;

comment on function operations.set_avatar is 'Stores or removes the picture of the caller.';
grant execute on function operations.set_avatar to authenticated;
