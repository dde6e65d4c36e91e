-- Why: the sender reports how a delivery went. Delivered is final; otherwise it is retried after 30 seconds, doubling
-- up to 6 hours, at most 10 times; p_give_up ends it at once (a forbidden destination). Devices that are gone are
-- disabled. Service only. Definer: users may not write the outbox.
create function operations.mark_notice(
  p_notice_id uuid, p_delivered boolean, p_response_status integer default null, p_error text default null,
  p_give_up boolean default false, p_gone_subscription_ids jsonb default null)
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
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

comment on function operations.mark_notice is 'Outcome of a delivery: delivered, again with back-off, or failed. Service only.';
grant execute on function operations.mark_notice to service_role;
