-- Why: changes when finished work releases what it blocks. This affects everything blocked now, so it is set and
-- recounted under the product's lock; no column grant lets a client write it directly. Null changes nothing. Refusals:
-- 404, 403, owner only.
-- Definer: jobs and this column are written by functions only.
create function private.set_dependency_release(p_product_id uuid, p_release public.dependency_release)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  perform private.require_write('product', p_product_id), private.require_product_owner(p_product_id);
  if p_release is null or p_release = (select p.dependency_release from public.products p where p.id = p_product_id) then
    return;
  end if;
  if p_release = 'merged' then
    perform private.note_merged_requests(p_product_id, null);
  end if;
  update public.products p set dependency_release = p_release where p.id = p_product_id;
  perform private.recount_blockers(array(
    select d.blocked_id from public.task_dependencies d where d.product_id = p_product_id
    union
    select t.id from public.story_dependencies d join public.tasks t on t.story_id = d.blocked_id where d.product_id = p_product_id));
end;
$$;

comment on function private.set_dependency_release is 'Sets products.dependency_release and counts anew what waits (docs/dependencies.md).';

grant execute on function private.set_dependency_release to authenticated;
