-- Why: every PBI, story, task, sprint and idea has a code: the supplied one, or the next of its counter (specification:
-- Entity codes). A code in use is refused here with a message; the unique constraint is the second check. Runs under
-- the product lock, so nothing takes the code in between. The argument names the kind.
-- Definer: users may not write counters.
create function private.tg_any__assign_code()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
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

comment on function private.tg_any__assign_code is 'Supplied or generated codes (specification: Entity codes).';
