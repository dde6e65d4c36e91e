-- Why: the one place that says what has to be proven, so that gate, REST and pages agree. A line is named by the hash of its
-- words: whoever edits one line takes the proof from that line only, whoever moves it from none.
create function private.criteria_of(p_acceptance_criteria text, p_definition_of_done text)
returns table (place integer, id text, kind text, text text)
language plpgsql
immutable
set search_path = ''
as $$
begin
  return query
  select row_number() over (order by min(l.place))::integer,
    private.criterion_id(l.line), min(l.kind), l.line
  from (
    select a.place, 'acceptance' as kind, a.line
    from private.list_items(p_acceptance_criteria) with ordinality as a (line, place)
    union all
    select 1000000 + d.place, 'definition_of_done', d.line
    from private.list_items(p_definition_of_done) with ordinality as d (line, place)
  ) l
  group by l.line;
end;
$$;

comment on function private.criteria_of is
  'The criteria of a story: its acceptance criteria, then the definition of done (docs/proof.md).';
