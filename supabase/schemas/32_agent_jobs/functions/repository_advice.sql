-- Why: what to type to trust a task's repository, and what that means. The address comes from somebody else, so it is
-- quoted as one word of a command line.
create function private.repository_advice(p_address text)
returns text
language plpgsql
immutable
set search_path = ''
as $$
begin
  return format('anybody who can write there can run programs on the worker''s machine. If you trust them, start the worker with --also-repo %s',
    case when p_address ~ '^[A-Za-z0-9_@%+=:,./~-]+$' then p_address else '''' || replace(p_address, '''', '''\''''') || '''' end);
end;
$$;

comment on function private.repository_advice is 'How a worker comes to follow the repository of a task.';
