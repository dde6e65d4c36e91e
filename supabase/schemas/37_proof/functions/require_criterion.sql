-- Why: evidence and waivers are for a criterion as it reads now. A line that was edited meanwhile is another criterion.
create function private.require_criterion(p_story_id uuid, p_criterion text, p_place integer)
returns text
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_text text;
begin
  select c.text into v_text
  from public.stories s
  join public.products p on p.id = s.product_id
  cross join lateral private.criteria_of(s.acceptance_criteria, p.definition_of_done) c
  where s.id = p_story_id and c.id = p_criterion;
  if v_text is null then
    perform private.refuse_evidence(p_place, 'criterion',
      format('The story has no criterion %s: it may have been edited meanwhile. Read the criteria again (GET /api/stories/:id/evidence).',
        coalesce(left(p_criterion, 40), '?')));
  end if;
  return v_text;
end;
$$;

comment on function private.require_criterion is 'The words of a criterion of a story, or PT422 (docs/proof.md).';
