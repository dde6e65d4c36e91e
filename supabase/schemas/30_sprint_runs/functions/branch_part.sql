-- Why: codes become parts of branch names, and git refuses some of what codes may contain (`..`, a dot at an end,
-- `.lock`). A changed code gets a piece of its id, so that two codes never share a branch.
create function private.branch_part(p_code text, p_id uuid)
returns text
language plpgsql
immutable
set search_path = ''
as $$
begin
  if p_code ~ '^[A-Za-z0-9_][A-Za-z0-9_-]*$' then
    return p_code;
  end if;
  return trim('-' from regexp_replace(p_code, '[^A-Za-z0-9_-]+', '-', 'g')) || '-' || left(p_id::text, 8);
end;
$$;

comment on function private.branch_part is 'A code as part of a branch name (specification: Sprint run, branch).';
