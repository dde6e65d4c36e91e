-- The secret is made here and returned once. Refusals: 404, 403, 422, 429. Definer: webhooks are written by functions.
create function operations.create_webhook(p_product_id uuid, p_url text, p_events jsonb default null)
returns json language plpgsql volatile security definer set search_path = '' as $$
declare
  v_webhook public.webhooks;
begin
  perform private.require_product_owner(p_product_id);
  perform private.require_product_write(p_product_id);
  perform private.take_rate_limit('webhook', auth.uid()::text);
  if p_url is null then
    perform private.refuse(422, 'url must be an https address of at most 2000 characters.');
  end if;
  insert into public.webhooks (product_id, url, secret, events, created_by)
  values (p_product_id, p_url,
    'whsec_' || encode(sha256(convert_to(gen_random_uuid()::text || gen_random_uuid()::text, 'UTF8')), 'base64'),
    private.check_webhook(p_url, p_events), auth.uid())
  returning * into v_webhook;
  return private.webhook_json(v_webhook) || jsonb_build_object('secret', v_webhook.secret);
end;
$$;
grant execute on function operations.create_webhook to authenticated;

-- Deletes a webhook with its deliveries. Owner only.
create function operations.delete_webhook(p_webhook_id uuid)
returns json language plpgsql volatile security definer set search_path = '' as $$
declare
  v_webhook public.webhooks := private.require_webhook(p_webhook_id);
begin
  perform private.require_product_write(v_webhook.product_id);
  delete from public.webhooks w where w.id = p_webhook_id;
  return json_build_object('id', p_webhook_id, 'deleted', true);
end;
$$;
grant execute on function operations.delete_webhook to authenticated;

-- The sender reports how a delivery went. Delivered is final; otherwise it is retried after 30 seconds, doubling
-- up to 6 hours, at most 10 times; p_give_up ends it at once (a forbidden destination). Devices that are gone are
-- disabled. Service only. Definer: users may not write the outbox.
create function operations.mark_notice(
  p_notice_id uuid, p_delivered boolean, p_response_status integer default null, p_error text default null,
  p_give_up boolean default false, p_gone_subscription_ids jsonb default null
) returns json language plpgsql volatile security definer set search_path = '' as $$
declare
  v_now timestamptz := private.now();
  v_notice public.notices;
begin
  update public.push_subscriptions s
  set disabled_at = v_now, last_error = left(coalesce(p_error, 'The push service says that this device is gone.'), 1000)
  where s.id in (select g.value::uuid from jsonb_array_elements_text(coalesce(p_gone_subscription_ids, '[]')) g)
    and s.disabled_at is null;

  update public.notices n
  set status = case when p_delivered then 'DELIVERED' when p_give_up or n.attempts >= 10 then 'FAILED' else 'PENDING' end::public.notice_status,
      delivered_at = case when p_delivered then v_now end,
      response_status = p_response_status,
      last_error = case when p_delivered then null else left(p_error, 1000) end,
      next_attempt_at = case when p_delivered then n.next_attempt_at
        else v_now + least(interval '6 hours', interval '30 seconds' * power(2, greatest(n.attempts - 1, 0))) end
  where n.id = p_notice_id and n.status = 'PENDING'
  returning n.* into v_notice;
  return json_build_object('id', p_notice_id, 'status', lower(v_notice.status::text), 'next_attempt_at', v_notice.next_attempt_at);
end;
$$;
grant execute on function operations.mark_notice to service_role;

-- Sends a test request. Owner only.
create function operations.ping_webhook(p_webhook_id uuid)
returns json language plpgsql volatile security definer set search_path = '' as $$
declare
  v_webhook public.webhooks := private.require_webhook(p_webhook_id);
  v_id uuid;
begin
  perform private.require_product_write(v_webhook.product_id);
  perform private.take_rate_limit('webhook', auth.uid()::text);
  insert into public.notices (kind, product_id, webhook_id, payload, next_attempt_at)
  values ('ping', v_webhook.product_id, v_webhook.id, jsonb_build_object('event', 'ping', 'product_id', v_webhook.product_id,
    'title', 'Ping', 'body', 'Backloom can reach this address.', 'path', '/', 'data', '{}'::jsonb, 'occurred_at', private.now()),
    private.now())
  returning id into v_id;
  return json_build_object('id', v_id);
end;
$$;
grant execute on function operations.ping_webhook to authenticated;

-- One row a device. An endpoint belongs to one browser: when another user signs in there, it becomes theirs. Refusals:
-- 403, 429, 422. Definer: users may not read keys of devices (specification: Push subscription).
create function operations.subscribe_push(p_endpoint text, p_p256dh text, p_auth text, p_user_agent text default null)
returns json language plpgsql volatile security definer set search_path = '' as $$
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
grant execute on function operations.subscribe_push to authenticated;

-- The sender takes due notices with everything it needs to send. A taken notice is due again after p_lease_seconds, so
-- that a dying sender loses nothing; each notice goes to one sender at a time (at least once, never in parallel). A
-- notice taken ten times fails here: a sender that died each time never reported. Everyone whose webhooks or devices wait has
-- a turn, so that one with slow receivers holds up no other. Devices of people who have left the product get nothing. Service only. Definer: users may not read the outbox.
create function operations.take_due_notices(p_limit integer default 50, p_lease_seconds integer default 60)
returns json language plpgsql volatile security definer set search_path = '' as $$
declare
  v_now timestamptz := private.now();
  v_notices json;
begin
  update public.notices n
  set status = 'FAILED', last_error = coalesce(n.last_error, 'Given up: ten attempts ended without a word from the sender.')
  where n.id = any (array(
    select d.id from public.notices d
    where d.status = 'PENDING' and d.next_attempt_at <= v_now and d.attempts >= 10
    order by d.next_attempt_at, d.id
    limit 500
    for update skip locked
  ));

    with taken as (
      update public.notices n
      set attempts = n.attempts + 1, next_attempt_at = v_now + make_interval(secs => greatest(coalesce(p_lease_seconds, 60), 5))
      where n.id = any (array(
        select d.id from public.notices d
        where d.id in (
          select o.id from (
            select x.id, x.next_attempt_at,
              row_number() over (partition by coalesce(w.created_by, x.user_id, x.product_id) order by x.next_attempt_at, x.id) as turn
            from public.notices x
            left join public.webhooks w on w.id = x.webhook_id
            where x.status = 'PENDING' and x.next_attempt_at <= v_now and x.attempts < 10) o
          order by o.turn, o.next_attempt_at, o.id
          limit least(greatest(coalesce(p_limit, 50), 1), 500))
          -- Read again once it is locked: another sender may have taken it.
          and d.status = 'PENDING' and d.next_attempt_at <= v_now
        for update skip locked
      ))
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
grant execute on function operations.take_due_notices to service_role;

-- Removes a device of the caller (specification: Push subscription).
create function operations.unsubscribe_push(p_id uuid default null, p_endpoint text default null)
returns json language plpgsql volatile security definer set search_path = '' as $$
declare
  v_removed integer;
begin
  delete from public.push_subscriptions s
  where s.user_id = private.require_writer() and (s.id = p_id or s.endpoint = p_endpoint);
  get diagnostics v_removed = row_count;
  return json_build_object('removed', v_removed);
end;
$$;
grant execute on function operations.unsubscribe_push to authenticated;

-- Changes address, events or activity of a webhook. Owner only.
create function operations.update_webhook(
  p_webhook_id uuid, p_url text default null, p_events jsonb default null, p_active boolean default null
) returns json language plpgsql volatile security definer set search_path = '' as $$
declare
  v_webhook public.webhooks := private.require_webhook(p_webhook_id);
begin
  perform private.require_product_write(v_webhook.product_id);
  update public.webhooks w
  set url = coalesce(p_url, w.url), events = private.check_webhook(p_url, coalesce(p_events, w.events)),
      active = coalesce(p_active, w.active)
  where w.id = p_webhook_id
  returning w.* into v_webhook;
  return private.webhook_json(v_webhook);
end;
$$;
grant execute on function operations.update_webhook to authenticated;

-- Checks a webhook, with messages. Returns the chosen events without duplicates.
create function private.check_webhook(p_url text, p_events jsonb)
returns jsonb language plpgsql volatile set search_path = '' as $$
declare
  v_known jsonb := '["question_opened", "question_answered", "question_expired", "run_paused", "run_failed", "run_done", "review_needed", "budget_warning"]';
  v_events jsonb := coalesce(p_events, v_known);
begin
  if p_url is not null and (p_url !~ '^https?://[^/]+' or char_length(p_url) > 2000) then
    perform private.refuse(422, 'url must be an https address of at most 2000 characters.');
  end if;
  if jsonb_typeof(v_events) <> 'array' or jsonb_array_length(v_events) = 0 or not v_known @> v_events then
    perform private.refuse(422, 'events must name at least one of question_opened, question_answered, question_expired, run_paused, run_failed, run_done, review_needed, budget_warning.');
  end if;
  return (select jsonb_agg(distinct e) from jsonb_array_elements(v_events) e);
end;
$$;
