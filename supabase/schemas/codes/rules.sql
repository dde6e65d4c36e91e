-- Why: every PBI, story, task, sprint and idea has a code: the supplied one, or the next of its counter (specification:
-- Entity codes). A code in use is refused here with a message; the unique constraint is the second check. Runs under
-- the product lock, so nothing takes the code in between. The argument names the kind.
-- Definer: users may not write counters.
create function private.tg_any__assign_code()
returns trigger language plpgsql security definer set search_path = '' as $$
declare
  v_scope_id uuid;
begin
  if tg_argv[0] = 'idea' then
    v_scope_id := new.user_id;
  else
    v_scope_id := new.product_id;
  end if;

  if new.code is null then
    new.code := private.next_code(v_scope_id, tg_argv[0]);
    return new;
  end if;

  if private.code_taken(v_scope_id, tg_argv[0], new.code) then
    raise exception using errcode = 'PT422',
      message = format('The code %s is already in use. Choose another, or leave it out to get the next free one.', new.code),
      detail = '{"issues":[{"path":"code","message":"This code is already in use."}]}';
  end if;

  return new;
end;
$$;

-- Why: the next generated code of a kind in a product (or of a user, for ideas). The lock of the counter row serializes
-- creations. Numbers of supplied codes are skipped, so a creation never fails because of a generated code.
-- Definer: no one writes counters directly (specification: Entity codes 3, 4, 6, 7).
create function private.next_code(p_scope_id uuid, p_kind text)
returns text language plpgsql volatile security definer set search_path = '' as $$
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

-- Why: lpad truncates, so ST-1000 would become ST-100. Numbers are padded to 3 digits for stories and ideas, never cut
-- (specification: Entity codes 3, 6, 7).
create function private.format_code(p_kind text, p_number bigint)
returns text language plpgsql immutable set search_path = '' as $$
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

-- Why: a supplied code may already use the counter's next number. Definer, because triggers check rows of any user
-- (specification: Entity codes 2).
create function private.code_taken(p_scope_id uuid, p_kind text, p_code text)
returns boolean language plpgsql volatile security definer set search_path = '' as $$
begin
  case p_kind
    when 'task' then
      return exists (select from public.tasks t where t.product_id = p_scope_id and t.code = p_code);
    when 'story' then
      return exists (select from public.stories s where s.product_id = p_scope_id and s.code = p_code);
    when 'pbi' then
      return exists (select from public.pbis b where b.product_id = p_scope_id and b.code = p_code);
    when 'sprint' then
      return exists (select from public.sprints s where s.product_id = p_scope_id and s.code = p_code);
    when 'idea' then
      return exists (select from public.ideas i where i.user_id = p_scope_id and i.code = p_code);
  end case;
end;
$$;

-- Why: sort_order of stories and tasks is set only on creation and when their code is edited (specification: Ordering
-- rules 2). A value from outside is overwritten.
create function private.tg_any__sort_order() returns trigger language plpgsql set search_path = '' as $$
begin
  new.sort_order := private.sort_order_from_code(new.code);
  return new;
end;
$$;
