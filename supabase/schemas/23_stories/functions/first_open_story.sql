-- Why: the next story is the first of the sprint that is neither done nor failed, by sort_order, then age, then id.
-- Definer: only called by functions that have checked access.
create function private.first_open_story(p_product_id uuid, p_sprint_id uuid)
returns uuid
language plpgsql
stable
security definer
set search_path = ''
as $$
begin
  return (
    select s.id
    from public.stories s
    where s.sprint_id = p_sprint_id and s.product_id = p_product_id and s.status not in ('DONE', 'FAILED')
    order by s.sort_order, s.created_at, s.id
    limit 1
  );
end;
$$;

comment on function private.first_open_story is
  'First open story of a sprint (specification: GET /api/products/:id/next-story).';
