-- Why: "sign out everywhere else". The definer half exists because users may not write user_sessions directly;
-- it touches rows of the caller only and keeps the session of this request.
create function private.revoke_other_sessions()
returns integer
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  return private.end_sessions(auth.uid(), private.current_session_id());
end;
$$;

comment on function private.revoke_other_sessions is 'Ends all sessions of the caller but this one.';

grant execute on function private.revoke_other_sessions to authenticated;

create function public.revoke_other_sessions()
returns json
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_ended integer;
begin
  perform private.require_no_demo();
  v_ended := private.revoke_other_sessions();
  perform private.audit(auth.uid(), auth.uid(), 'session.others_revoked', jsonb_build_object('count', v_ended));
  return json_build_object('ended', v_ended);
end;
$$;

comment on function public.revoke_other_sessions is 'Signs the caller out everywhere else (specification: Authentication).';
grant execute on function public.revoke_other_sessions to authenticated;
