-- Why: a worker under its user's quota threshold gets no job, and the reason. Null when it may work.
create function private.quota_reason(p_user_id uuid, p_quota_pct integer)
returns text
language plpgsql
stable
set search_path = ''
as $$
declare
  v_minimum integer := (select u.min_quota_pct from public.users u where u.id = p_user_id);
begin
  if p_quota_pct is null or p_quota_pct >= v_minimum then
    return null;
  end if;
  return format('The worker has %s%% of its quota left, and its user wants to keep at least %s%% (min_quota_pct). It gets no job until it reports more.',
    p_quota_pct, v_minimum);
end;
$$;

comment on function private.quota_reason is 'Why the quota gate is shut, or null (specification: User, min_quota_pct).';
