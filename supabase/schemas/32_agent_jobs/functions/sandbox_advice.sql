-- Why: one wording for a worker that gets no job and a person who asks why a job does not move.
create function private.sandbox_advice()
returns text
language sql
immutable
set search_path = ''
as $$
  select 'Start a worker on Linux with bubblewrap (apt-get install bubblewrap), or with --sandbox docker:<image>.';
$$;

comment on function private.sandbox_advice is 'How a worker gets a sandbox.';
