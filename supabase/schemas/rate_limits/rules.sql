-- Why: limits on creating hold on every path of a user, the Data API included (specification: Limits). The service
-- itself (no user: import, seed) is not limited. The trigger's argument names the limit.
create function private.tg_any__take_rate_limit() returns trigger language plpgsql set search_path = '' as $$
begin
  if auth.uid() is not null then
    perform private.take_rate_limit(tg_argv[0], auth.uid()::text);
  end if;
  return new;
end;
$$;

-- Why: a limit per minute bounds no sum. Everything that can be created has a bound that no one meets at work, on every way: Data
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

-- Why: one count per action and key (a user id or an address), shared by all processes and exact under concurrency: the
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
  raise exception using errcode = 'PT429',
    message = format('Too many requests of this kind (%s in %s seconds). Try again in %s seconds.',
      v_max, extract(epoch from v_window)::integer, v_retry_after),
    detail = json_build_object('retry_after', v_retry_after)::text;
end;
$$;
grant execute on function private.take_rate_limit to authenticated, service_role;
