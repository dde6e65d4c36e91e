-- Why: all limits of the contract in one readable list: how many, within how many seconds (specification: Limits).
create function private.rate_limit(p_action text, out p_max integer, out p_seconds integer)
language plpgsql
immutable
set search_path = ''
as $$
begin
  select l.max_count, l.seconds
  into p_max, p_seconds
  from (
    values
      -- per client address (login also the failed tries of an account, or of a browser it was signed in on)
      ('login', 10, 60),
      ('provider_sign_in', 60, 60),
      ('registration', 5, 3600),
      ('recovery', 5, 3600),
      ('pair_start', 10, 60),
      ('oauth_register', 20, 600),
      ('oauth_token', 120, 60),
      ('hook_address', 3000, 60),
      ('open_door', 600, 60),
      -- per user
      ('product', 5, 60),
      ('member', 30, 60),
      ('member_lookup', 10, 3600),
      ('join', 20, 60),
      ('pbi', 30, 60),
      ('story', 60, 60),
      ('task', 100, 60),
      ('dependency', 120, 60),
      ('sprint', 10, 60),
      ('idea', 60, 60),
      ('story_log', 120, 60),
      ('answer', 60, 60),
      ('question', 60, 60),
      ('enqueue', 30, 60),
      ('change', 120, 60),
      ('undo', 60, 60),
      ('api_token', 10, 3600),
      ('oauth_consent', 100, 600),
      ('client_document', 60, 60),
      ('password', 10, 3600),
      ('pair_secret', 20, 3600),
      ('avatar', 10, 60),
      ('push_subscription', 20, 60),
      ('webhook', 10, 60),
      ('inbox', 240, 60),
      ('saved_view', 60, 60),
      ('label', 60, 60),
      ('lesson', 120, 60),
      ('comment', 60, 60),
      ('file', 60, 60),
      ('file_read', 600, 60),
      ('import', 10, 60),
      ('search', 240, 60),
      ('candidates', 240, 60),
      ('job_comment', 120, 60),
      ('job_review', 60, 60),
      ('viewed', 600, 60),
      ('worker_word', 600, 3600),
      ('pulls_observed', 120, 60),
      ('issues_observed', 120, 60),
      ('issue_notes', 120, 60),
      ('landings', 300, 60),
      ('upkeeps', 120, 60),
      ('idempotency_key', 600, 60),
      -- per hook address: what is sent, and what is new
      ('hook', 3000, 60),
      ('hook_item', 300, 3600),
      -- per job
      ('job_output', 240, 60),
      ('job_diff', 30, 60),
      ('job_conflict', 30, 60),
      ('job_merged', 30, 60)
  ) as l (action, max_count, seconds)
  where l.action = p_action;

  if not found then
    raise exception 'There is no rate limit named %', p_action;
  end if;
end;
$$;
grant execute on function private.rate_limit to service_role;
