-- Why: the sender takes due notices with everything it needs to send. A taken notice is due again after
-- p_lease_seconds, so that a dying sender loses nothing; each notice goes to one sender at a time (at least once, never
-- in parallel). A notice taken ten times fails here: a sender that died each time never reported. Devices of people who
-- have left the product get nothing.
-- Service only. Definer: users may not read the outbox.
create function operations.take_due_notices(p_limit integer default 50, p_lease_seconds integer default 60)
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_now timestamptz := private.now();
  v_notices json;
begin
  update public.notices n
  set status = 'FAILED', last_error = coalesce(n.last_error, 'Given up: ten attempts ended without a word from the sender.')
  where n.id in (
    select d.id from public.notices d
    where d.status = 'PENDING' and d.next_attempt_at <= v_now and d.attempts >= 10
    order by d.next_attempt_at, d.id
    limit 500
    for update skip locked
  );

    with taken as (
      update public.notices n
      set attempts = n.attempts + 1, next_attempt_at = v_now + make_interval(secs => greatest(coalesce(p_lease_seconds, 60), 5))
      where n.id in (
        select d.id from public.notices d
        where d.status = 'PENDING' and d.next_attempt_at <= v_now and d.attempts < 10
        order by d.next_attempt_at, d.id
        limit least(greatest(coalesce(p_limit, 50), 1), 500)
        for update skip locked
      )
      returning n.*
    )
    select json_build_object('notices', coalesce(json_agg(json_build_object(
      'id', t.id, 'kind', t.kind, 'attempts', t.attempts, 'payload', t.payload, 'created_at', t.created_at,
      'webhook', (select json_build_object('id', w.id, 'url', w.url, 'secret', w.secret, 'active', w.active)
        from public.webhooks w where w.id = t.webhook_id),
      'user_id', t.user_id,
      'subscriptions', (select coalesce(json_agg(json_build_object('id', s.id, 'endpoint', s.endpoint, 'p256dh', s.p256dh,
          'auth', s.auth) order by s.created_at), '[]')
        from public.push_subscriptions s
        left join public.user_sessions u on u.id = s.session_id
        where s.user_id = t.user_id and s.disabled_at is null
          and (s.session_id is null or (u.revoked_at is null and u.expires_at > v_now))
          and (t.product_id is null or exists (
            select from public.product_members m where m.product_id = t.product_id and m.user_id = t.user_id)))
    ) order by t.created_at, t.id), '[]'))
    into v_notices
    from taken t;
  return v_notices;
end;
$$;

comment on function operations.take_due_notices is 'Due notices with their targets, for the sender. Service only.';
grant execute on function operations.take_due_notices to service_role;
