-- Why: wrong guesses at a pairing secret must count, so the caller returns the refusal instead of raising it, which
-- would roll the count back. 5 wrong secrets end a pairing, 20 an hour block the user.
-- Definer: users can write neither counters nor pairings. The answer is the same for an unknown pairing.
create function private.note_wrong_pairing_secret(p_pairing_id uuid, p_user_id uuid)
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  update public.login_pairings set failed_attempts = failed_attempts + 1 where id = p_pairing_id;
  perform private.take_rate_limit('pair_secret', p_user_id::text);
  return json_build_object('refused', json_build_object('code', 404,
    'error', 'This code is unknown. Show a new code on the other device and scan it again.'));
end;
$$;

comment on function private.note_wrong_pairing_secret is
  'Counts a wrong pairing secret and answers the refusal (specification: Login pairing).';

grant execute on function private.note_wrong_pairing_secret to service_role;
