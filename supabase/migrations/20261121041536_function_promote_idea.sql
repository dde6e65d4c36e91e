-- Called by the ideas pages and tools: from any state before planned.
create function public.promote_idea(
  p_idea_id uuid,
  p_product_id uuid default null,
  p_title text default null,
  p_description text default null,
  p_code text default null,
  p_priority integer default 3
)
returns json
language plpgsql
volatile
set search_path = ''
as $$
begin
  return private.promote_idea(p_idea_id, p_product_id, p_title, p_description, p_code, p_priority);
end;
$$;

comment on function public.promote_idea(uuid, uuid, text, text, text, integer) is
  'Makes a PBI of an idea, atomically (specification: States and transitions, Idea).';

revoke execute on function public.promote_idea(uuid, uuid, text, text, text, integer) from public, anon;
grant execute on function public.promote_idea(uuid, uuid, text, text, text, integer) to authenticated;
