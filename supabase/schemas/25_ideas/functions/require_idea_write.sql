-- Why: the first line of every write to an idea: one's own (404, 403), a product that one may use and write.
create function private.require_idea_write(p_idea_id uuid)
returns uuid
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_product_id uuid := private.require_own_idea(p_idea_id);
begin
  perform private.require_product_access(v_product_id);
  perform private.require_product_write(v_product_id);
  return v_product_id;
end;
$$;

comment on function private.require_idea_write is
  'The product of an idea that the caller may change; PT404, PT403 (specification: Idea).';

grant execute on function private.require_idea_write to authenticated, service_role;
