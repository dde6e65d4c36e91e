-- Why: shows on the devices and tokens pages when a credential was last used, and lets normal sessions slide:
-- 30 days from their last use. A paired session keeps its deadline (specification: Authentication 5).
-- Called by private.resolve_credential at most once a minute for each credential. Concurrent requests of one
-- credential never wait for each other here: whoever finds the row locked leaves it to the other.
create function private.touch_credential(p_session_id uuid, p_token_id uuid)
returns void
language plpgsql
volatile
set search_path = ''
as $$
begin
  if p_session_id is not null then
    update public.user_sessions
    set last_seen_at = private.now(),
        expires_at = case when paired then expires_at else private.now() + interval '30 days' end
    where id in (select id from public.user_sessions where id = p_session_id for update skip locked);
    return;
  end if;

  update public.api_tokens
  set last_used_at = private.now()
  where id in (select id from public.api_tokens where id = p_token_id for update skip locked);
end;
$$;

comment on function private.touch_credential is
  'Notes the use of a session or token and lets a normal session slide (specification: Authentication).';

grant execute on function private.touch_credential to service_role;
