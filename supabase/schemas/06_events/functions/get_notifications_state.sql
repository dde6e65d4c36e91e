-- Why: the first state of the notifications stream: the open questions of all the caller's products, with all fields
-- (specification: Notifications stream). Questions of an archived product are left out until it is restored, because
-- nobody can answer them.
-- Definer: the query itself limits the products.
create function operations.get_notifications_state()
returns json
language plpgsql
stable
security definer
set search_path = ''
as $$
declare
  v_now timestamptz := private.now();
begin
  return json_build_object('questions', (
    select coalesce(jsonb_agg(private.question_json(q) order by q.created_at, q.id), '[]')
    from public.agent_questions q
    where q.status = 'OPEN' and q.expires_at > v_now
      and q.product_id in (select private.open_product_ids())
      and (q.reader_id is null or q.reader_id = auth.uid() or private.is_left_to_owner(q))));
end;
$$;

comment on function operations.get_notifications_state is
  'Open questions of the products in reach (specification: Notifications stream).';
grant execute on function operations.get_notifications_state to authenticated;
