-- Why: a desktop that was let in by a phone may have made tokens and let in further desktops. Who takes the first one back
-- takes all of it back; else it would stay in by what it left behind. What an ordinary session made stays: its user made it.
-- Called by revoke_pairing and revoke_session, which have checked whose session it is. Answers whether one ended.
create function private.end_session_chain(p_session_id uuid)
returns boolean
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_now timestamptz := private.now();
  v_paired uuid[];
  v_ended boolean;
begin
  update public.user_sessions s set revoked_at = v_now where s.id = p_session_id and s.revoked_at is null;
  v_ended := found;

  with recursive chain (id) as (
    select s.id from public.user_sessions s where s.id = p_session_id and s.paired
    union
    select p.session_id from public.login_pairings p join chain c on p.approved_in = c.id where p.session_id is not null
  )
  select coalesce(array_agg(c.id), '{}') into v_paired from chain c;

  update public.login_pairings p set status = 'CANCELLED' where p.approved_in = any (v_paired) and p.status = 'APPROVED';
  update public.user_sessions s set revoked_at = v_now where s.id = any (v_paired) and s.revoked_at is null;
  update public.api_tokens t set revoked_at = v_now where t.session_id = any (v_paired) and t.revoked_at is null;
  return v_ended;
end;
$$;

comment on function private.end_session_chain is 'Ends a session, and what a paired one made (specification: Login pairing).';
