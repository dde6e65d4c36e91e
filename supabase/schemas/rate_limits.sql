-- All processes on one database share the counts, and a restart does not reset them (specification: Limits).
-- One row per action and key (a user id or a client address); private.take_rate_limit is the only writer.
create table public.rate_limit_counters (
  action text not null,
  key text not null,
  window_start timestamptz not null,
  count integer not null default 0,
  primary key (action, key)
);

comment on table public.rate_limit_counters is
  'Counters of the rate limits (specification: Limits), one row per action and key. Service only.';
create index rate_limit_counters_window_start_idx on public.rate_limit_counters (window_start);

alter table public.rate_limit_counters enable row level security;

-- No one reads or resets counters directly.

-- Limits on creating hold on every path of a user, the Data API included (specification: Limits). The service
-- itself (no user: import, seed) is not limited, and rows of an operation that has counted as one thing are not counted
-- again. The trigger's argument names the limit.
create function private.tg_any__take_rate_limit() returns trigger language plpgsql set search_path = '' as $$
begin
  if auth.uid() is not null and coalesce(current_setting('backloom.counted', true), '') <> tg_argv[0] then
    perform private.take_rate_limit(tg_argv[0], auth.uid()::text);
  end if;
  return new;
end;
$$;

-- Rows of a selection count as one change, or one larger than the limit could never be done. Null ends that.
create function private.count_once(p_action text) returns void language plpgsql volatile set search_path = '' as $$
begin
  if p_action is not null then
    perform private.take_rate_limit('change', auth.uid()::text);
  end if;
  perform set_config('backloom.counted', coalesce(p_action, ''), true);
end;
$$;
grant execute on function private.count_once to authenticated;

-- What a list asks for has to fit its limit at all; it says how many do. Waiting helps only who asks for less.
create function private.require_fits(p_action text, p_count integer, p_words text)
returns void language plpgsql stable set search_path = '' as $$
begin
  if p_count > (private.rate_limit(p_action)).p_max then
    perform private.refuse(422, format('A list may have %s %s, and this one has %s. Send it in parts, a minute apart.',
      (private.rate_limit(p_action)).p_max, p_words, p_count));
  end if;
end;
$$;
grant execute on function private.require_fits to authenticated;

-- A limit per minute bounds no sum. Everything that can be created has a bound that no one meets at work, on every way: Data
-- API, imports, and what comes from outside. Arguments of the trigger: the column of the owner, product or story, how many, and
-- what to say. Counted once a statement, in the index that begins with the column, and no further than the limit. Definer:
-- counts rows that row level security, or a token that is limited to some products, hides.
create function private.tg_any__limit_rows() returns trigger language plpgsql security definer set search_path = '' as $$
declare
  v_is_over boolean;
begin
  execute format(
    'select exists (select from (select distinct %1$I as scope from added) a
       where exists (select from %2$I.%3$I r where r.%1$I = a.scope offset %4$s))',
    tg_argv[0], tg_table_schema, tg_table_name, tg_argv[1]) into v_is_over;
  if v_is_over then
    perform private.refuse(409, format('There are %s %s', to_char(tg_argv[1]::integer, 'FM999,999'), tg_argv[2]));
  end if;
  return null;
end;
$$;

-- One count per action and key (a user id or an address), shared by all processes and exact under concurrency: the
-- lock of the counter row serializes them. The window starts with the first count. Inside an operation a refusal rolls
-- the count back; to count failed tries (login), call it on its own. Definer: no one writes counters directly
-- (specification: Limits).
create function private.take_rate_limit(p_action text, p_key text)
returns void language plpgsql volatile security definer set search_path = '' as $$
declare
  v_now timestamptz := private.now();
  v_max integer;
  v_window interval;
  v_count integer;
  v_start timestamptz;
  v_retry_after integer;
begin
  select l.p_max, make_interval(secs => l.p_seconds) into v_max, v_window from private.rate_limit(p_action) l;

  insert into public.rate_limit_counters as c (action, key, window_start, count)
  values (p_action, p_key, v_now, 1)
  on conflict (action, key) do update
  set window_start = case when c.window_start <= v_now - v_window then v_now else c.window_start end,
      count = case when c.window_start <= v_now - v_window then 1 else c.count + 1 end
  returning c.count, c.window_start into v_count, v_start;

  if v_count <= v_max then
    return;
  end if;

  v_retry_after := greatest(1, ceil(extract(epoch from v_start + v_window - v_now)))::integer;
  perform private.refuse(429, format('Too many requests of this kind (%s in %s seconds). Try again in %s seconds.',
    v_max, extract(epoch from v_window)::integer, v_retry_after),
    jsonb_build_object('retry_after', v_retry_after));
end;
$$;
grant execute on function private.take_rate_limit to authenticated, service_role;

-- A sign-in is counted before its password is checked, so that parallel guesses all count. A right password gives its
-- count back, so that only failures add up; earlier wrong ones stay counted.
create function operations.give_back_limit(p_action text, p_key text)
returns json language plpgsql volatile set search_path = '' as $$
begin
  update public.rate_limit_counters c set count = greatest(c.count - 1, 0)
  where c.action = p_action and c.key = p_key;
  return json_build_object('ok', true);
end;
$$;
grant execute on function operations.give_back_limit to service_role;

-- Limits before sign-in are taken before the work, in a separate call, so that a failed try counts (specification:
-- Limits, login, registration, pair/start). Service only: the key is an address or an account.
create function operations.take_limit(p_action text, p_key text)
returns json language plpgsql volatile set search_path = '' as $$
begin
  perform private.take_rate_limit(p_action, p_key);
  return json_build_object('ok', true);
end;
$$;
grant execute on function operations.take_limit to service_role;

-- All limits of the contract in one readable list: how many, within how many seconds (specification: Limits).
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
      ('chat', 10, 600),
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
      ('change_index', 30, 60),
      ('idempotency_key', 600, 60),
      -- per hook address: what is sent, and what is new
      ('hook', 3000, 60),
      ('hook_item', 300, 3600),
      -- per account of a chat service
      ('chat_code', 5, 600),
      ('chat_stranger', 1, 86400),
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
grant execute on function private.rate_limit to authenticated, service_role;
