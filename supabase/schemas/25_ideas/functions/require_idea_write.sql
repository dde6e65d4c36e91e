-- Why: the first line of every write to an idea: the caller's own (404, 403), not of an archived product. A user who
-- has left its product can still move, archive or edit it.
create function private.require_idea_write(p_idea_id uuid)
returns uuid
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_product_id uuid := private.require_own_idea(p_idea_id);
begin
  if v_product_id in (select private.accessible_product_ids()) then
    perform private.require_product_write(v_product_id);
  else
    perform private.require_no_demo();
  end if;
  return v_product_id;
end;
$$;

comment on function private.require_idea_write is
  'The product of an idea that the caller may change; PT404, PT403 (specification: Idea).';

grant execute on function private.require_idea_write to authenticated;
