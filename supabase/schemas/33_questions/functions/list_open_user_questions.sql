-- Why: the caller's questions that no worker has answered yet, oldest first, in pages. Questions whose job was given up
-- and deleted are left out. The cursor is the id of the last question of the previous page.
-- Definer: only the caller's own rows.
create function operations.list_open_user_questions(
  p_product_id uuid default null, p_limit integer default 50, p_cursor uuid default null)
returns json
language plpgsql
stable
security definer
set search_path = ''
as $$
declare
  v_limit integer := least(greatest(coalesce(p_limit, 50), 1), 100);
  v_questions jsonb;
  v_count integer;
  v_last uuid;
begin
  if p_product_id is not null then
    perform private.require_product_access(p_product_id);
  end if;
  select coalesce(jsonb_agg(private.user_question_json(u) order by u.created_at, u.id), '[]'), count(*),
    (array_agg(u.id order by u.created_at desc, u.id desc))[1]
  into v_questions, v_count, v_last
  from (
    select x.* from public.user_questions x
    join public.ideas i on i.id = x.idea_id
    where x.user_id = auth.uid() and x.status = 'PENDING' and x.job_id is not null
      and private.is_open_to_token(i.product_id)
      and (p_product_id is null or i.product_id = p_product_id)
      and (p_cursor is null or (x.created_at, x.id) > (
        select c.created_at, c.id from public.user_questions c where c.id = p_cursor and c.user_id = auth.uid()))
    order by x.created_at, x.id
    limit v_limit
  ) u;
  return json_build_object('user_questions', v_questions, 'next_cursor', case when v_count = v_limit then v_last end);
end;
$$;

comment on function operations.list_open_user_questions is
  'The caller''s pending user questions (specification: User question).';
grant execute on function operations.list_open_user_questions to authenticated;
