-- Why: the one definition of "online": seen in the last two minutes, and not stopped since.
create function private.is_online(p_last_seen_at timestamptz, p_stopped_at timestamptz)
returns boolean
language sql
stable
set search_path = ''
as $$
  select p_stopped_at is null and p_last_seen_at > private.now() - interval '2 minutes';
$$;

comment on function private.is_online is 'Seen in two minutes and not stopped (specification: Agent worker).';

grant execute on function private.is_online to authenticated;
