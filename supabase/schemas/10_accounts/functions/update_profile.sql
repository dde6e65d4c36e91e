-- Why: what people set about themselves: user name, worker quota threshold, theme; never role or flags.
-- Definer: users may not write profiles directly; it touches only the caller's row.
create function operations.update_profile(
  p_username text default null, p_min_quota_pct integer default null, p_theme text default null)
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  perform private.require_no_demo();
  if p_min_quota_pct not between 1 and 100 then
    raise exception using errcode = 'PT422', message = 'The worker quota threshold is a whole number from 1 to 100.',
      detail = '{"issues":[{"path":"min_quota_pct","message":"Enter a whole number from 1 to 100"}]}';
  end if;
  if p_username !~ '^[A-Za-z0-9][A-Za-z0-9._-]{1,39}$' then
    raise exception using errcode = 'PT422', message = 'This user name cannot be used. Choose another one.',
      detail = '{"issues":[{"path":"username","message":"Use 2 to 40 letters, digits, dots, underscores or hyphens"}]}';
  end if;

  update public.users
  set username = coalesce(p_username, username),
      min_quota_pct = coalesce(p_min_quota_pct, min_quota_pct),
      theme = coalesce(p_theme::public.user_theme, theme),
      updated_at = private.now()
  where id = auth.uid();
  return operations.get_profile();
exception when unique_violation then
  raise exception using errcode = 'PT422', message = 'This user name is taken. Choose another one.',
    detail = '{"issues":[{"path":"username","message":"This user name is taken"}]}';
end;
$$;

comment on function operations.update_profile is
  'Changes user name, quota threshold or theme of the caller (specification: Other records, User).';
grant execute on function operations.update_profile to authenticated;
