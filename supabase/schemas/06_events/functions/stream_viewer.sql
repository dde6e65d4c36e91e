-- Why: an open stream must end with the session or token that opened it. Checking on every event costs too much, so the
-- stream gets its reader and the end time once, and hears of an earlier end through the user's topic.
-- The snapshot says which transactions this state includes: their events are not sent again.
-- Definer: users may not read sessions and tokens. Reads only the caller's row, named by the claims.
create function private.stream_viewer()
returns json
language plpgsql
stable
security definer
set search_path = ''
as $$
declare
  v_claims jsonb := coalesce(nullif(current_setting('request.jwt.claims', true), ''), '{}')::jsonb;
  v_user_id uuid := v_claims ->> 'sub';
  v_session_id uuid := v_claims ->> 'session_id';
  v_token_id uuid := v_claims ->> 'token_id';
begin
  return json_build_object(
    'snapshot', pg_current_snapshot()::text,
    'user_id', v_user_id,
    'session_id', v_session_id,
    'token_id', v_token_id,
    'expires_at', least(
      (
        select least(s.expires_at, s.paired_expires_at)
        from public.user_sessions as s
        where s.id = v_session_id and s.user_id = v_user_id
      ),
      (select t.expires_at from public.api_tokens as t where t.id = v_token_id and t.user_id = v_user_id)
    )
  );
end;
$$;

comment on function private.stream_viewer is
  'Who reads a stream, and until when the credential lasts (specification: Events; Authentication 5).';
grant execute on function private.stream_viewer to authenticated;
