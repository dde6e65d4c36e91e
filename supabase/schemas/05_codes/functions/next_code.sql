-- Why: the next generated code of a kind in a product (or of a user, for ideas). The lock of the counter row serializes
-- creations. Numbers of supplied codes are skipped, so a creation never fails because of a generated code.
-- Definer: nobody writes counters directly.
create function private.next_code(p_scope_id uuid, p_kind text)
returns text
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_number bigint;
  v_code text;
begin
  insert into public.code_counters as c (scope_id, kind, last_number)
  values (p_scope_id, p_kind, 1)
  on conflict (scope_id, kind) do update set last_number = c.last_number + 1
  returning c.last_number into v_number;

  v_code := private.format_code(p_kind, v_number);
  if not private.code_taken(p_scope_id, p_kind, v_code) then
    return v_code;
  end if;

  while private.code_taken(p_scope_id, p_kind, v_code) loop
    v_number := v_number + 1;
    v_code := private.format_code(p_kind, v_number);
  end loop;

  update public.code_counters c set last_number = v_number where c.scope_id = p_scope_id and c.kind = p_kind;
  return v_code;
end;
$$;

comment on function private.next_code is
  'The next free generated code of a scope and kind (specification: Entity codes 3, 4, 6, 7).';

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
