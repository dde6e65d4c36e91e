-- Why: the one place for how long a claim lasts without a call from its worker.
create function private.lease()
returns interval
language plpgsql
immutable
set search_path = ''
as $$
begin
  return interval '5 minutes';
end;
$$;

comment on function private.lease is
  'The lease of a claim: 5 minutes, renewed by heartbeats and every other word of its attempt (specification: Agent job, lease_until).';
