-- Why: the same call with the same key happens once and is answered as often as it is sent. The key is taken before the
-- operation and committed with it, so that a refused or failed call keeps nothing, and of many callers at once the first
-- works while the others wait for its answer.
-- Called by public.call_as. Answers null when the key is new, else what the call with this key answered. Still running: PT409;
-- taken by another call: PT422.
create function private.take_idempotency_key(p_user_id uuid, p_key text, p_fingerprint bytea)
returns text
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_timeout text := current_setting('lock_timeout');
  v_is_new boolean;
  v_kept public.idempotency_keys;
begin
  begin
    -- Shorter than any other lock is waited for: the call that holds the key may itself be waiting for one.
    perform set_config('lock_timeout', '1500ms', true);
    insert into public.idempotency_keys as k (user_id, key, fingerprint, created_at)
    values (p_user_id, p_key, p_fingerprint, private.now())
    on conflict (user_id, key) do update
    set fingerprint = excluded.fingerprint, answer = null, created_at = excluded.created_at
    where k.created_at <= private.now() - private.kept_call_lifetime()
    returning true into v_is_new;
  exception when lock_not_available then
    raise exception using errcode = 'PT409',
      message = 'The same request is still running. Send it again in a second to get its answer.',
      detail = json_build_object('retry_after', 1)::text;
  end;
  perform set_config('lock_timeout', v_timeout, true);
  if v_is_new then
    return null;
  end if;

  select k.* into v_kept from public.idempotency_keys k where k.user_id = p_user_id and k.key = p_key;
  if v_kept.fingerprint <> p_fingerprint then
    raise exception using errcode = 'PT422',
      message = 'This idempotency key was used for another request. Send the same request again, or take a new key for a new one.',
      detail = json_build_object('issues', json_build_array(
        json_build_object('path', 'idempotency_key', 'message', 'Was used for another request.')))::text;
  end if;
  return v_kept.answer;
end;
$$;

comment on function private.take_idempotency_key is 'Takes a key of a user for one call, or answers the call that took it.';
grant execute on function private.take_idempotency_key to service_role;
