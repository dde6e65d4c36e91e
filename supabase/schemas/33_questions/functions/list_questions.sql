-- Why: questions of all the caller's products, or of one, by state, newest first, in pages. An open question past its
-- expiry is listed as expired; in an archived product, where nobody can answer, it is not listed. The cursor is the id
-- of the last question of the previous page. Definer: the query itself limits the products.
create function operations.list_questions(
  p_product_id uuid default null, p_state text default null, p_job_id uuid default null,
  p_limit integer default 50, p_cursor uuid default null)
returns json
language plpgsql
stable
security definer
set search_path = ''
as $$
declare
  v_now timestamptz := private.now();
  v_limit integer := least(greatest(coalesce(p_limit, 50), 1), 200);
  v_state text := private.require_choice('state', p_state, array['OPEN', 'ANSWERED', 'CANCELLED', 'EXPIRED']);
  v_questions jsonb;
  v_count integer;
  v_last uuid;
begin
  if p_product_id is not null then
    perform private.require_product_access(p_product_id);
  end if;
  select coalesce(jsonb_agg(private.question_json(q) order by q.created_at desc, q.id desc), '[]'), count(*),
    (array_agg(q.id order by q.created_at, q.id))[1]
  into v_questions, v_count, v_last
  from (
    select x.* from public.agent_questions x
    where x.product_id in (select private.accessible_product_ids())
      and (x.reader_id is null or x.reader_id = auth.uid() or private.is_left_to_owner(x))
      and (x.status <> 'OPEN' or x.expires_at <= v_now or x.product_id in (select private.open_product_ids()))
      and (p_product_id is null or x.product_id = p_product_id)
      and (p_job_id is null or x.job_id = p_job_id)
      and (v_state is null or v_state = case when x.status = 'OPEN' and x.expires_at <= v_now then 'EXPIRED' else x.status::text end)
      and (p_cursor is null or (x.created_at, x.id) < (select c.created_at, c.id from public.agent_questions c where c.id = p_cursor))
    order by x.created_at desc, x.id desc
    limit v_limit
  ) q;
  return json_build_object('questions', v_questions, 'next_cursor', case when v_count = v_limit then v_last end);
end;
$$;

comment on function operations.list_questions is 'Agent questions in reach by state (specification: Agent question).';
grant execute on function operations.list_questions to authenticated;
