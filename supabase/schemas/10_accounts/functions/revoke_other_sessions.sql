-- Why: "sign out everywhere else". Definer: users may not write user_sessions directly; it touches only the caller's
-- rows and keeps the session of this request.
create function operations.revoke_other_sessions()
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_ended integer;
begin
  perform private.require_no_demo();
  v_ended := private.end_sessions(auth.uid(), private.current_session_id());
  perform private.audit(auth.uid(), auth.uid(), 'session.others_revoked', jsonb_build_object('count', v_ended));
  return json_build_object('ended', v_ended);
end;
$$;

comment on function operations.revoke_other_sessions is 'Signs the caller out everywhere else (specification: Authentication).';
grant execute on function operations.revoke_other_sessions to authenticated;
