-- Why: the criteria that are not proven well enough for a gate, and what is wrong with their evidence. Null when none
-- is missing.
create function private.missing_proof(p_story_ids uuid[], p_grade public.evidence_grade)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
begin
  return (
    select jsonb_agg(jsonb_build_object('path', c.id, 'story_id', c.story_id, 'message', format('%s: %s', left(c.text, 200),
      case c.state
        when 'failed' then 'its last check failed.'
        when 'stale' then format('it was proven for an earlier commit, and the work has moved on to %s.', left(h.head_sha, 12))
        when 'proven' then format('it is proven as "%s", and "%s" is needed.', c.grade, p_grade)
        else coalesce(
          (select format('%s has requested changes of the work that it was seen in: prove it again.', e.voided_by)
           from public.evidence e where e.story_id = c.story_id and e.criterion = c.id and e.voided_by is not null
           order by e.seq desc limit 1),
          (select 'its command passes without this work as well, so it proves nothing: name one that fails before the work and passes after it.'
           from public.evidence e where e.story_id = c.story_id and e.criterion = c.id and e.passed_before limit 1),
          'nothing proves it yet.') end)) order by s.sort_order, s.created_at, c.place)
    from public.stories s
    left join public.story_heads h on h.story_id = s.id
    cross join lateral private.story_proof(s.id) c
    where s.id = any (p_story_ids) and c.state <> 'waived' and not (c.state = 'proven' and c.grade >= p_grade)
  );
end;
$$;

comment on function private.missing_proof is 'What keeps stories from being done, an issue a criterion (docs/proof.md).';
