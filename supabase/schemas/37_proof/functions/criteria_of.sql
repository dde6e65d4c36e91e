-- Why: the one definition of what must be proven, so that gate, REST API and pages agree. A line is identified by the
-- hash of its text: editing a line loses only that line's proof, moving it loses none.
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

-- Why: criteria are the list items of a text (bullets, numbers, check boxes; indented lines continue their item), or
-- the whole text if it has no list. Code blocks contain no items.
create function private.list_items(p_text text)
returns setof text
language plpgsql
immutable
set search_path = ''
as $$
declare
  v_line text;
  v_item text;
  v_items text[] := '{}';
  v_fenced boolean := false;
begin
  foreach v_line in array string_to_array(replace(coalesce(p_text, ''), E'\r', ''), E'\n') loop
    if v_line ~ '^\s*(```|~~~)' then
      v_fenced := not v_fenced;
      continue;
    end if;
    if not v_fenced and v_line ~ '^\s*([-*+•]|[0-9]{1,3}[.)])\s+\S' then
      v_items := v_items || v_item;
      v_item := regexp_replace(v_line, '^\s*([-*+•]|[0-9]{1,3}[.)])\s+(\[[ xX]\]\s+)?(#[0-9]+\s+)?', '');
    elsif not v_fenced and v_item is not null and v_line ~ '^\s+\S' then
      v_item := v_item || ' ' || v_line;
    elsif not v_fenced then
      v_items := v_items || v_item;
      v_item := null;
    end if;
  end loop;
  v_items := v_items || v_item;

  v_items := array(
    select btrim(regexp_replace(i, '\s+', ' ', 'g')) from unnest(v_items) with ordinality as u (i, place)
    where i ~ '[^\s*_-]' order by place);
  if v_items = '{}' and p_text ~ '\S' then
    v_items := array[btrim(regexp_replace(p_text, '\s+', ' ', 'g'))];
  end if;
  return query select unnest(v_items);
end;
$$;

comment on function private.list_items is 'The list items of a text, or the whole text as one (docs/proof.md).';
