-- Why: the proof of a story for REST API and pages: its criteria with state, grade and evidence, newest first. `former`
-- has the evidence of lines that were edited since: waived lines first, as waivers are shown forever, then the newest.
create function private.proof_json(p_story_id uuid)
returns json
language plpgsql
stable
set search_path = ''
as $$
declare
  v_head public.story_heads;
begin
  select h.* into v_head from public.story_heads h where h.story_id = p_story_id;
  return (
    select json_build_object('story_id', s.id, 'done_requires', p.done_requires, 'head_sha', v_head.head_sha,
      'criteria', (
        select coalesce(json_agg(json_build_object('id', c.id, 'kind', c.kind, 'text', c.text, 'state', c.state, 'grade', c.grade,
          'waiver', (select private.waiver_json(w) from public.waivers w where w.story_id = s.id and w.criterion = c.id),
          'evidence', (
            select coalesce(json_agg(private.evidence_json(y.e, not private.is_fresh(y.e, v_head)) order by (y.e).seq desc), '[]')
            from (select e from public.evidence e where e.story_id = s.id and e.criterion = c.id order by e.seq desc limit 20) y)
        ) order by c.place), '[]')
        from private.story_proof(s.id) c),
      'former', (
        select coalesce(json_agg(json_build_object('id', f.criterion, 'text', f.criterion_text,
          'waiver', (select private.waiver_json(w) from public.waivers w where w.story_id = s.id and w.criterion = f.criterion),
          'evidence', (
            select coalesce(json_agg(private.evidence_json(y.e, true) order by (y.e).seq desc), '[]')
            from (select e from public.evidence e where e.story_id = s.id and e.criterion = f.criterion order by e.seq desc limit 5) y)
        )), '[]')
        from (
          select o.criterion, min(o.criterion_text) as criterion_text
          from (
            select e.criterion, e.criterion_text, false as waived, e.created_at from public.evidence e where e.story_id = s.id
            union all
            select w.criterion, w.criterion_text, true, w.created_at from public.waivers w where w.story_id = s.id
          ) o
          where o.criterion not in (select c.id from private.criteria_of(s.acceptance_criteria, p.definition_of_done) c)
          group by o.criterion
          order by bool_or(o.waived) desc, max(o.created_at) desc
          limit 50
        ) f))
    from public.stories s
    join public.products p on p.id = s.product_id
    where s.id = p_story_id
  );
end;
$$;

comment on function private.proof_json is 'The proof of a story (docs/proof.md).';
