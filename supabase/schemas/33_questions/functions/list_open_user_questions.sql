-- Why: what the caller asked and no worker has answered yet, oldest first, at most 100. Definer: only the caller's own rows.
create function private.list_open_user_questions(p_product_id uuid)
returns json
language plpgsql
stable
security definer
set search_path = ''
as $$
begin
  if p_product_id is not null then
    perform private.require_product_access(p_product_id);
  end if;

  return json_build_object('user_questions', (
    select coalesce(jsonb_agg(private.user_question_json(u) order by u.created_at, u.id), '[]')
    from (
      select x.* from public.user_questions x
      join public.ideas i on i.id = x.idea_id
      where x.user_id = auth.uid() and x.status = 'PENDING' and (p_product_id is null or i.product_id = p_product_id)
      order by x.created_at, x.id
      limit 100
    ) u));
end;
$$;

grant execute on function private.list_open_user_questions to authenticated;

create function public.list_open_user_questions(p_product_id uuid default null)
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  return private.list_open_user_questions(p_product_id);
end;
$$;

comment on function public.list_open_user_questions is
  'The caller''s pending user questions (specification: User question).';

grant execute on function public.list_open_user_questions to authenticated;
