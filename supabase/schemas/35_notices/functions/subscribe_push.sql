-- Why: a browser turns on push messages; each device is its own row. An endpoint belongs to one browser: when another
-- user signs in there, it becomes theirs. Refusals: 403, 429, 422. Definer: users may not read keys of devices.
create function operations.subscribe_push(p_endpoint text, p_p256dh text, p_auth text, p_user_agent text default null)
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_user_id uuid := private.require_writer();
  v_id uuid;
begin
  perform private.take_rate_limit('push_subscription', v_user_id::text);
  if coalesce(p_endpoint, '') !~ '^https?://' or char_length(p_endpoint) > 2000
    or coalesce(char_length(p_p256dh), 0) not between 1 and 200 or coalesce(char_length(p_auth), 0) not between 1 and 100 then
    perform private.refuse(422, 'endpoint must be an https address, p256dh and auth the keys of the subscription.');
  end if;
  insert into public.push_subscriptions as s (user_id, session_id, endpoint, p256dh, auth, user_agent)
  values (v_user_id, private.own_session_id(), p_endpoint, p_p256dh, p_auth, left(p_user_agent, 255))
  on conflict (endpoint) do update
  set user_id = v_user_id, session_id = excluded.session_id, p256dh = excluded.p256dh, auth = excluded.auth, user_agent = excluded.user_agent,
      disabled_at = null, last_error = null
  returning s.id into v_id;
  return json_build_object('id', v_id);
end;
$$;

comment on function operations.subscribe_push is 'Adds a device of the caller (specification: Push subscription).';
grant execute on function operations.subscribe_push to authenticated;
