-- Whether a file shows that a criterion is met, or how it was before.
create function private.is_evidence(p_file_id uuid)
returns boolean
language plpgsql
stable
set search_path = ''
as $$
begin
  return exists (select from public.evidence e where e.file_id = p_file_id or e.base_file_id = p_file_id);
end;
$$;

comment on function private.is_evidence is 'Whether evidence shows this file.';
grant execute on function private.is_evidence to authenticated;
