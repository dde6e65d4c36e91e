-- Why: if a permission's reader has left the product or is now a viewer, nobody can give it, and its job would wait
-- until it expires. The product's owner may read and dismiss it, but nobody can allow it in the reader's place.
create function private.is_left_to_owner(p_question public.agent_questions)
returns boolean
language sql
stable
set search_path = ''
as $$
  select p_question.kind = 'permission'
    and p_question.product_id in (select private.owned_product_ids())
    and not exists (
      select from public.product_members m where m.product_id = p_question.product_id and m.user_id = p_question.reader_id and m.role <> 'VIEWER');
$$;

comment on function private.is_left_to_owner is
  'Whether the caller owns the product and the reader of a permission has left it (specification: Agent question).';

grant execute on function private.is_left_to_owner to authenticated;
