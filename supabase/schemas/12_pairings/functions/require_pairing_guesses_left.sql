-- Why: after too many wrong guesses even a right one is refused, so this check comes before the comparison. PT429 with
-- the seconds until the user's hour is over, or until this pairing expires.
create function private.require_pairing_guesses_left(p_pairing public.login_pairings, p_user_id uuid)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_now timestamptz := private.now();
  v_until timestamptz;
begin
  select c.window_start + make_interval(secs => l.p_seconds) into v_until
  from private.rate_limit('pair_secret') l
  join public.rate_limit_counters c on c.action = 'pair_secret' and c.key = p_user_id::text and c.count >= l.p_max
  where c.window_start > v_now - make_interval(secs => l.p_seconds);

  if v_until is null and p_pairing.failed_attempts >= 5 then
    v_until := p_pairing.expires_at;
  end if;
  if v_until is null then
    return;
  end if;

  raise exception using errcode = 'PT429',
    message = 'Too many wrong codes. Wait a while, then show a new code on the other device.',
    detail = json_build_object('retry_after', greatest(1, ceil(extract(epoch from v_until - v_now))::integer))::text;
end;
$$;

comment on function private.require_pairing_guesses_left is
  'PT429 after 5 wrong secrets for a pairing or 20 in an hour by a user (specification: Login pairing).';

grant execute on function private.require_pairing_guesses_left to service_role;
