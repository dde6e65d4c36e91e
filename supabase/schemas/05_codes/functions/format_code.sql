-- Why: lpad truncates, so ST-1000 would become ST-100. Numbers are padded to 3 digits for stories and ideas, never cut.
create function private.format_code(p_kind text, p_number bigint)
returns text
language plpgsql
immutable
set search_path = ''
as $$
declare
  v_digits text := p_number::text;
begin
  if p_kind in ('story', 'idea') then
    v_digits := lpad(v_digits, greatest(3, length(v_digits)), '0');
  end if;

  return case p_kind
    when 'pbi' then 'PBI-'
    when 'story' then 'ST-'
    when 'task' then 'T-'
    when 'sprint' then 'SP-'
    when 'idea' then 'IDEA-'
  end || v_digits;
end;
$$;

comment on function private.format_code is 'PBI-1, ST-001, T-1, SP-1, IDEA-001 (specification: Entity codes 3, 6, 7).';

grant execute on function private.format_code to authenticated, service_role;
