-- Why: the state of each criterion of a story. Among evidence that is neither stale nor voided, and whose command did
-- not pass without the work, the newest of the highest grade decides; "unverifiable" proves nothing.
create function private.story_proof(p_story_id uuid)
returns setof private.proven_criterion
language plpgsql
stable
set search_path = ''
as $$
declare
  v_head public.story_heads;
begin
  select h.* into v_head from public.story_heads h where h.story_id = p_story_id;
  return query
  select s.id, c.place, c.id, c.kind, c.text,
    case when w.id is not null then 'waived'
      when d.verdict = 'pass' then 'proven'
      when d.verdict = 'fail' then 'failed'
      when d.id is null and exists (
        select from public.evidence o where o.story_id = s.id and o.criterion = c.id and o.verdict = 'pass' and o.voided_by is null
          and not o.passed_before) then 'stale'
      else 'unproven' end,
    d.grade, d.id
  from public.stories s
  join public.products p on p.id = s.product_id
  cross join lateral private.criteria_of(s.acceptance_criteria, p.definition_of_done) c
  left join public.waivers w on w.story_id = s.id and w.criterion = c.id
  left join lateral (
    select e.id, e.verdict, e.grade from public.evidence e
    where e.story_id = s.id and e.criterion = c.id and e.voided_by is null and not e.passed_before
      and private.is_fresh(e, v_head)
    order by e.grade desc, e.seq desc limit 1
  ) d on true
  where s.id = p_story_id
  order by c.place;
end;
$$;

comment on function private.story_proof is 'The criteria of a story with state and grade (docs/proof.md).';
