-- Why: any member can set the repository of a task, and whoever can write there runs programs on the worker's machine.
-- So it counts only if the worker's user has listed it, in full or by a prefix that ends in "/". A server may read `..`
-- as a step out of the listed folder. Null stands for a worker that accepts any repository.
create function private.is_followed(p_address text, p_named jsonb)
returns boolean
language plpgsql
immutable
set search_path = ''
as $$
begin
  return p_named is null or p_named ? p_address or exists (
    select from jsonb_array_elements_text(p_named) n
    where n like '%/' and starts_with(p_address, n) and p_address !~* '(^|[/:\\])\.{1,2}([/\\]|$)|%2e|%2f|%5c');
end;
$$;

comment on function private.is_followed is 'Whether a worker follows a repository that a task names (specification: Agent job; claiming).';
