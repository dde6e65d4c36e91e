-- Why: a card shows 3/4 where proof is required or has been given; elsewhere null, and nothing is counted.
-- Definer: boards run as their viewer, but users may not call the functions that count.
create function private.proof_count(p_story_id uuid)
returns json
language plpgsql
stable
security definer
set search_path = ''
as $$
begin
  if not exists (
    select from public.stories s join public.products p on p.id = s.product_id
    where s.id = p_story_id and (p.done_requires <> 'none' or exists (select from public.evidence e where e.story_id = s.id))
  ) then
    return null;
  end if;
  return (
    select json_build_array(count(*) filter (where c.state in ('proven', 'waived')), count(*))
    from private.story_proof(p_story_id) c having count(*) > 0);
end;
$$;

comment on function private.proof_count is 'Proven and all criteria of a story, for cards (docs/proof.md).';

grant execute on function private.proof_count to authenticated;
