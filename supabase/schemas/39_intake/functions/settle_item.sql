-- Why: a declined or merged item stays settled when the service sends it again. Called by decline_story and merge_story
-- before the story is deleted. Definer: nobody writes settled items directly; the callers have checked access.
create function private.settle_item(p_story_id uuid, p_outcome text, p_into uuid default null)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  insert into public.settled_items (product_id, external_id, story_id, code, outcome, merged_into)
  select s.product_id, s.external_id, s.id, s.code, p_outcome, case when s.origin = 'forge' then p_into end
  from public.stories s
  where s.id = p_story_id and s.in_triage and s.external_id is not null and s.origin is not null
    and s.product_id in (select private.writable_product_ids())
  on conflict (product_id, external_id) do update
  set story_id = excluded.story_id, code = excluded.code, outcome = excluded.outcome,
      merged_into = excluded.merged_into, settled_at = private.now();
end;
$$;

comment on function private.settle_item is 'Remembers an item from outside that leaves triage.';
grant execute on function private.settle_item to authenticated;
