-- Why: limits on creating hold on every path of a user, the Data API included (specification: Limits). The service
-- itself (no user: import, seed) is not limited. The trigger's argument names the limit.
create function private.tg_any__take_rate_limit()
returns trigger
language plpgsql
set search_path = ''
as $$
begin
  if auth.uid() is not null then
    perform private.take_rate_limit(tg_argv[0], auth.uid()::text);
  end if;
  return new;
end;
$$;

comment on function private.tg_any__take_rate_limit is 'Counts each creation by a user (specification: Limits).';
