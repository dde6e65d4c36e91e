-- Generated codes come from counter rows, not from the highest code plus one, so that two concurrent creations
-- never get the same code (specification: Entity codes 3, 4). The scope is a product, or the user for ideas.
create table public.code_counters (
  scope_id uuid not null,
  kind text not null constraint code_counters_kind check (kind in ('pbi', 'story', 'task', 'sprint', 'idea')),
  last_number bigint not null default 0 constraint code_counters_last_number check (last_number >= 0),
  primary key (scope_id, kind)
);

comment on table public.code_counters is 'Last generated number per scope and kind (specification: Entity codes). Service only.';

alter table public.code_counters enable row level security;

-- Only private.next_code uses the counters.

-- Every PBI, story, task, sprint and idea has a code: the supplied one, or the next of its counter (specification:
-- Entity codes). A code in use is refused with a message; the constraint is the second check. Runs under the product
-- lock, so nothing takes the code in between. The argument names the kind. Definer: users may not write counters.
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
    perform private.refuse(422, format('The code %s is already in use. Choose another, or leave it out to get the next free one.', new.code),
      '{"issues":[{"path":"code","message":"This code is already in use."}]}');
  end if;

  return new;
end;
$$;

-- The next generated code of a kind in a product (or of a user, for ideas). The lock of the counter row serializes
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

-- For an import's thousands. A wanted code stays where it is free; the others are the counter's next, in order.
create function private.take_codes(p_product_id uuid, p_kind text, p_wanted text[])
returns text[] language plpgsql volatile set search_path = '' as $$
declare
  v_number bigint := coalesce((select c.last_number from public.code_counters c where c.scope_id = p_product_id and c.kind = p_kind), 0);
  v_codes text[];
begin
  with taken as materialized (
    select x.code, x.sort_order from public.stories x where p_kind = 'story' and x.product_id = p_product_id
    union all
    select x.code, x.sort_order from public.tasks x where p_kind = 'task' and x.product_id = p_product_id
    union all
    select x.code, private.sort_order_from_code(x.code) from public.pbis x where p_kind = 'pbi' and x.product_id = p_product_id
  ), wanted as materialized (
    select w.place, case when t.code is null and row_number() over (partition by w.code order by w.place) = 1 then w.code end as code
    from unnest(p_wanted) with ordinality w (code, place) left join taken t using (code)
  ), used as materialized (
    select t.code from taken t where t.sort_order > v_number union all select w.code from wanted w where w.code is not null
  ), free as (
    select n.number, private.format_code(p_kind, n.number) as code
    from generate_series(v_number + 1, v_number + (select count(*) from used) + cardinality(p_wanted)) n (number)
  ), given as materialized (
    select f.number, f.code, row_number() over (order by f.number) as nth from free f left join used u using (code) where u.code is null
  ), made as (
    select w.place, coalesce(w.code, g.code) as code, g.number
    from (select *, row_number() over (partition by code is null order by place) as nth from wanted) w
    left join given g on w.code is null and g.nth = w.nth
  )
  select array_agg(m.code order by m.place), coalesce(max(m.number), v_number) into v_codes, v_number from made m;
  insert into public.code_counters as c (scope_id, kind, last_number) values (p_product_id, p_kind, v_number)
  on conflict (scope_id, kind) do update set last_number = excluded.last_number;
  -- No trigger asks for these codes again.
  perform set_config('backloom.taken_codes', p_product_id::text, true);
  return v_codes;
end;
$$;

-- Padded to 3 digits for stories and ideas. Trap: lpad cuts ST-1000 to ST-100 (specification: Entity codes 3, 6, 7).
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

-- A supplied code may use the next number. Definer: triggers check rows of any user (specification: Entity codes 2).
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

-- Only on creation and when the code is edited; overwrites a value from outside (specification: Ordering rules 2).
create function private.tg_any__sort_order() returns trigger language plpgsql set search_path = '' as $$
begin
  new.sort_order := private.sort_order_from_code(new.code);
  return new;
end;
$$;

-- { id, kind, code, product_id } of what the caller can reach. A code of several: PT422 (specification: Entity codes).
create function operations.resolve_reference(p_kind text, p_reference text, p_product_id uuid default null)
returns json language plpgsql stable set search_path = '' as $$
declare
  v_kinds constant text[] := '{product,pbi,story,task,sprint,idea}';
  v_found json[];
  v_other text;
begin
  perform private.parse_choice('kind', coalesce(p_kind, ''), v_kinds);
  if p_product_id is not null then
    perform private.require_product_access(p_product_id);
  end if;

  if p_reference ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then
    if p_kind = 'idea' then
      perform private.require_own_idea(p_reference::uuid);
    else
      perform private.require_access(p_kind, p_reference::uuid);
    end if;
    v_found := private.find_reference(p_kind, null, p_reference::uuid, null);
  else
    v_found := private.find_reference(p_kind, p_reference, null, p_product_id);
    if v_found is null then
      v_found := private.find_reference(p_kind, upper(p_reference), null, p_product_id);
    end if;
    if v_found is null then
      select k into v_other from unnest(v_kinds) k
        where private.find_reference(k, upper(p_reference), null, p_product_id) is not null limit 1;
      perform private.refuse(404, format('No such %s: %s %s', replace(p_kind, 'pbi', 'PBI'), p_reference,
        coalesce(format('is a %s.', replace(v_other, 'pbi', 'PBI')), 'is not the code of one that you can see.')));
    end if;
  end if;

  if v_found is null then
    perform private.refuse_unknown(p_kind);
  end if;

  if cardinality(v_found) > 1 then
    perform private.refuse(422, format('%s names more than one %s. Give the id, or name the product.',
      p_reference, case p_kind when 'pbi' then 'PBI' else p_kind end),
      jsonb_build_object('candidates', to_jsonb(v_found)));
  end if;

  return v_found[1];
end;
$$;
grant execute on function operations.resolve_reference to authenticated;

-- One look-up for all kinds, as the caller under RLS: it finds what the caller can reach (specification: Entity codes).
create function private.find_reference(p_kind text, p_code text, p_id uuid, p_product_id uuid)
returns json[] language plpgsql stable set search_path = '' as $$
begin
  return (
    select array_agg(json_build_object('id', x.id, 'kind', p_kind, 'code', x.code, 'product_id', x.product_id) order by x.id)
    from (
      select p.id, p.code, p.id as product_id from public.products p where p_kind = 'product' and (p.code = p_code or p.id = p_id)
      union all
      select b.id, b.code, b.product_id from public.pbis b where p_kind = 'pbi' and (b.code = p_code or b.id = p_id)
      union all
      select s.id, s.code, s.product_id from public.stories s where p_kind = 'story' and (s.code = p_code or s.id = p_id)
      union all
      select t.id, t.code, t.product_id from public.tasks t where p_kind = 'task' and (t.code = p_code or t.id = p_id)
      union all
      select s.id, s.code, s.product_id from public.sprints s where p_kind = 'sprint' and (s.code = p_code or s.id = p_id)
      union all
      select i.id, i.code, i.product_id from public.ideas i where p_kind = 'idea' and (i.code = p_code or i.id = p_id)
    ) x
    where p_product_id is null or x.product_id = p_product_id
  );
end;
$$;
grant execute on function private.find_reference to authenticated;

-- The trailing number of a code. Without one, or past the largest safe integer, last (specification: Ordering rules 1).
create function private.sort_order_from_code(p_code text)
returns bigint language plpgsql immutable set search_path = '' as $$
begin
  return coalesce(
    least(substring(p_code from '[0-9]+$')::numeric, 9007199254740991)::bigint,
    9007199254740991
  );
end;
$$;
grant execute on function private.sort_order_from_code to authenticated, service_role;
