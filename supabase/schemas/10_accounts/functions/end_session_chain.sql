-- Why: a desktop signed in by a phone may have created tokens and signed in further desktops. Revoking the first one
-- revokes all of these, or it would keep access through them. Tokens of an ordinary session stay, because its user
-- created them. Called by revoke_pairing and revoke_session, which have checked whose session it is. Returns whether a
-- session ended.
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
