-- Why: a budget sees nothing of an agent that tells no usage. What a worker does is known from the last attempt that it brought to
-- an end; a new worker is believed.
create function private.reports_usage(p_worker_id uuid)
returns boolean
language plpgsql
stable
set search_path = ''
as $$
declare
  v_last public.job_attempts;
begin
  select a.* into v_last from public.job_attempts a
  where a.worker_id = p_worker_id and a.outcome in ('done', 'failed') order by a.ended_at desc limit 1;
  return v_last.job_id is null
    or exists (select from public.usage_events e where e.job_id = v_last.job_id and e.attempt = v_last.attempt);
end;
$$;

comment on function private.reports_usage is 'Whether the last finished attempt of a worker told what it used.';
