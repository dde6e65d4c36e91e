-- Why: only a verification that found the whole plan done, or the work already present, is complete.
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
