-- Why: only a verification that found all of the plan speaks for the work, or one that found it there already.
create function private.is_in_part(p_result public.verify_result)
returns boolean
language plpgsql
immutable
set search_path = ''
as $$
begin
  return p_result is null or p_result not in ('ALIGNED', 'EMPTY');
end;
$$;

comment on function private.is_in_part is 'Whether work follows its plan less than wholly, as far as is known (docs/proof.md).';
