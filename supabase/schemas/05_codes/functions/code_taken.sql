-- Why: a supplied code may already use the counter's next number. Definer, because triggers check rows of any user.
create function private.code_taken(p_scope_id uuid, p_kind text, p_code text)
returns boolean
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  case p_kind
    when 'task' then
      return exists (select from public.tasks t where t.product_id = p_scope_id and t.code = p_code);
    when 'story' then
      return exists (select from public.stories s where s.product_id = p_scope_id and s.code = p_code);
    when 'pbi' then
      return exists (select from public.pbis b where b.product_id = p_scope_id and b.code = p_code);
    when 'sprint' then
      return exists (select from public.sprints s where s.product_id = p_scope_id and s.code = p_code);
    when 'idea' then
      return exists (select from public.ideas i where i.user_id = p_scope_id and i.code = p_code);
  end case;
end;
$$;

comment on function private.code_taken is 'Whether a code is in use within its scope (specification: Entity codes 2).';
